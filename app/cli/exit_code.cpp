#include "app/cli/exit_code.h"

namespace dlscope::app {
namespace {

int exit_code_of_scan(ScanEnd end) {
  switch (end) {
    case ScanEnd::complete:
      break;
    case ScanEnd::interrupted:
      return kExitInterrupted;
    case ScanEnd::failed:
      return kExitEnvironment;
    case ScanEnd::lost:
      return kExitCrashed;
  }
  return kExitFine;
}

}  // namespace

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
  if (verdict.scan_end != ScanEnd::complete) return exit_code_of_scan(verdict.scan_end);
  if (verdict.expectation_failed) return kExitExpectation;
  return verdict.selection_missing ? kExitUsage : kExitFine;
}

}  // namespace dlscope::app
