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
  const std::string place = "  File \"/tmp/se.py\", line 2\n", calls = "Traceback (most recent call last):\n";
  outcome.error = core::ScriptError{"SyntaxError", "invalid syntax (se.py, line 2)", 2, place};
  CHECK(outcome_sentence(outcome) == "Raised SyntaxError in line 2: invalid syntax.");
  // line 2 imports a file whose line 2 is wrong
  outcome.error = core::ScriptError{"SyntaxError", "invalid syntax (other.py, line 2)", 2, calls + place};
  CHECK(outcome_sentence(outcome) == "Raised SyntaxError in line 2: invalid syntax (other.py, line 2).");
  outcome.error = core::ScriptError{"SyntaxError", "invalid syntax (<input>, line 1)", 0, place};
  CHECK(outcome_sentence(outcome) == "Raised SyntaxError: invalid syntax (<input>, line 1).");
  outcome.error = core::ScriptError{"SyntaxError", "invalid syntax (se.py, line 12)", 2, place};
  CHECK(outcome_sentence(outcome) == "Raised SyntaxError in line 2: invalid syntax (se.py, line 12).");
  outcome = {};
  outcome.outcome = core::Outcome::crashed;
  outcome.signal = 11;
  CHECK(outcome_sentence(outcome) == "The script's process crashed with SIGSEGV.");
  CHECK_FALSE(error_mark(outcome).has_value());
}

}  // namespace dlscope::app
