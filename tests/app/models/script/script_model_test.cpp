#include "app/models/script/script_model.h"

#include "app/models/host/outcome_sentence.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("how a run ended is one sentence", "[app][models]") {
  core::RunOutcome outcome;
  CHECK(outcome_sentence(outcome) == "Not run yet.");
  outcome.outcome = core::Outcome::finished;
  CHECK(outcome_sentence(outcome) == "Finished.");
  outcome.exit_code = 7;
  CHECK(outcome_sentence(outcome) == "Exited with code 7.");
  outcome = {};
  outcome.outcome = core::Outcome::raised;
  outcome.error = core::ScriptError{"ZeroDivisionError", "division by zero", 3, ""};
  CHECK(outcome_sentence(outcome) == "Raised ZeroDivisionError in line 3: division by zero.");
  CHECK(error_mark(outcome)->line == 3);
  outcome = {};
  outcome.outcome = core::Outcome::crashed;
  outcome.signal = 11;
  CHECK(outcome_sentence(outcome) == "The script's process crashed with SIGSEGV.");
  CHECK_FALSE(error_mark(outcome).has_value());
}

}  // namespace dlscope::app
