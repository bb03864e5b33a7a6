#include "embed/host/host_state.h"

#include "embed/host/forked_child.h"

namespace dlscope::embed::host_state {

HostService* service = nullptr;
Leases* leases = nullptr;
core::StatisticsMethod statistics_wanted = core::StatisticsMethod::none;

HostService* attached() {
  if (service == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "this process is not a dlscope host");
  } else if (is_forked_child()) {
    PyErr_SetString(PyExc_RuntimeError, "a forked child of a dlscope host has no viewer");
  } else {
    return service;
  }
  return nullptr;
}

}  // namespace dlscope::embed::host_state
