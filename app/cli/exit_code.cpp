#include "app/cli/exit_code.h"

namespace dlscope::app {

int exit_code_of(const HeadlessVerdict& verdict) {
  using core::Outcome;
  if (verdict.environment_failed) return kExitEnvironment;
  switch (verdict.outcome.outcome) {
    case Outcome::crashed:
      return kExitCrashed;
    case Outcome::timeout:
      return kExitTimeout;
    case Outcome::interrupted:
      return kExitInterrupted;
    case Outcome::raised:
      return kExitRaised;
    case Outcome::not_run:
      return kExitEnvironment;
    case Outcome::finished:
      break;
  }
  if (verdict.outcome.exit_code.value_or(0) != 0) return kExitRaised;
  if (verdict.expectation_failed) return kExitExpectation;
  return verdict.selection_missing ? kExitUsage : kExitFine;
}

}  // namespace dlscope::app
