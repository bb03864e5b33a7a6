#include "core/inventory/run_outcome.h"

namespace dlscope::core {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::not_run:
      return "not_run";
    case Outcome::finished:
      return "finished";
    case Outcome::raised:
      return "raised";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::timeout:
      return "timeout";
    case Outcome::crashed:
      return "crashed";
  }
  return "";
}

}  // namespace dlscope::core
