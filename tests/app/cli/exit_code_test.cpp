#include "app/cli/exit_code.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope;
using namespace dlscope::app;
using core::Outcome;

namespace {

HeadlessVerdict verdict(Outcome outcome, int exit_code = 0) {
  HeadlessVerdict result;
  result.outcome.outcome = outcome;
  result.outcome.exit_code = exit_code;
  return result;
}

}  // namespace

TEST_CASE("Every outcome has its exit code", "[app][cli]") {
  CHECK(exit_code_of(verdict(Outcome::finished)) == 0);
  CHECK(exit_code_of(verdict(Outcome::finished, 7)) == 1);
  CHECK(exit_code_of(verdict(Outcome::finished, -1)) == 1);
  CHECK(exit_code_of(verdict(Outcome::raised)) == 1);
  CHECK(exit_code_of(verdict(Outcome::interrupted)) == 130);
  CHECK(exit_code_of(verdict(Outcome::timeout)) == 124);
  CHECK(exit_code_of(verdict(Outcome::crashed)) == 5);
  CHECK(exit_code_of(verdict(Outcome::not_run)) == 3);
}

TEST_CASE("An environment that failed outranks everything", "[app][cli]") {
  for (const Outcome outcome : {Outcome::finished, Outcome::raised, Outcome::interrupted, Outcome::timeout, Outcome::crashed}) {
    HeadlessVerdict result = verdict(outcome);
    result.environment_failed = true;
    CHECK(exit_code_of(result) == 3);
  }
}

TEST_CASE("A failed expectation only speaks when the script was fine", "[app][cli]") {
  for (const auto& [outcome, code] : {std::pair{Outcome::finished, 4},
                                      {Outcome::raised, 1},
                                      {Outcome::interrupted, 130},
                                      {Outcome::timeout, 124},
                                      {Outcome::crashed, 5}}) {
    HeadlessVerdict result = verdict(outcome);
    result.expectation_failed = true;
    CHECK(exit_code_of(result) == code);
  }
  HeadlessVerdict left = verdict(Outcome::finished, 2);
  left.expectation_failed = true;
  CHECK(exit_code_of(left) == 1);
}

TEST_CASE("A selection that names nothing only speaks when all else was fine", "[app][cli]") {
  HeadlessVerdict result = verdict(Outcome::finished);
  result.selection_missing = true;
  CHECK(exit_code_of(result) == 2);
  result.expectation_failed = true;
  CHECK(exit_code_of(result) == 4);
  for (const auto& [outcome, code] :
       {std::pair{Outcome::raised, 1}, {Outcome::interrupted, 130}, {Outcome::timeout, 124}, {Outcome::crashed, 5}}) {
    result = verdict(outcome);
    result.selection_missing = true;
    CHECK(exit_code_of(result) == code);
  }
}

TEST_CASE("A scan that did not end well speaks when the script was fine", "[app][cli]") {
  for (const auto& [end, code] :
       {std::pair{ScanEnd::complete, 0}, {ScanEnd::failed, 3}, {ScanEnd::lost, 5}, {ScanEnd::interrupted, 130}}) {
    HeadlessVerdict result = verdict(Outcome::finished);
    result.scan_end = end;
    CHECK(exit_code_of(result) == code);
    result.outcome.exit_code = 7;
    CHECK(exit_code_of(result) == 1);
    result.outcome.outcome = Outcome::timeout;
    CHECK(exit_code_of(result) == 124);
  }
}
