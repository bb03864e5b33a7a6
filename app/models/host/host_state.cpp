#include "app/models/host/host_state.h"

namespace dlscope::app {

const char* host_state_word(HostState state) {
  switch (state) {
    case HostState::absent:
      return "not run";
    case HostState::finding:
      return "looking for Python";
    case HostState::starting:
      return "starting";
    case HostState::idle:
      return "idle";
    case HostState::running:
      return "running";
    case HostState::scanning:
      return "scanning";
    case HostState::acting:
      return "working";
    case HostState::stopped:
      return "stopped";
    case HostState::stopping:
      return "stopping";
    case HostState::ending:
      return "ending";
    case HostState::crashed:
      return "crashed";
    case HostState::ended:
      return "ended";
    case HostState::failed:
      return "no Python";
  }
  return "";
}

}  // namespace dlscope::app
