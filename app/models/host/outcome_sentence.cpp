#include "app/models/host/outcome_sentence.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/models/text/format.h"
#include "app/models/text/sentence.h"

namespace dlscope::app {
namespace {

// Without the place that Python puts behind a syntax error's message, "invalid syntax (train.py, line 2)", where it is the line
// said already. Behind calls ("Traceback ...") it may be a line of another file, such as an imported one.
std::string_view without_its_line(const core::ScriptError& error) {
  std::string_view message = error.message;
  const std::size_t place = message.rfind(" (");
  const bool says_line = error.line > 0 && place != message.npos && message.ends_with(fmt::format(", line {})", error.line));
  return says_line && error.traceback.starts_with("  File ") ? message.substr(0, place) : message;
}

}  // namespace

std::string outcome_sentence(const core::RunOutcome& outcome) {
  switch (outcome.outcome) {
    case core::Outcome::not_run:
      return "Not run yet.";
    case core::Outcome::finished:
      return outcome.exit_code.value_or(0) == 0 ? "Finished." : fmt::format("Exited with code {}.", *outcome.exit_code);
    case core::Outcome::raised: {
      if (!outcome.error) return "Raised an exception.";
      std::string text = "Raised " + outcome.error->type;
      if (outcome.error->line > 0) text += fmt::format(" in line {}", outcome.error->line);
      if (!outcome.error->message.empty()) text += ": " + shortened(without_its_line(*outcome.error), 120);
      return as_sentence(std::move(text));
    }
    case core::Outcome::interrupted:
      return "Stopped.";
    case core::Outcome::timeout:
      return "Stopped: the time limit was reached.";
    case core::Outcome::crashed: {
      if (!outcome.signal) return "The script's process crashed.";
      const char* name = ::sigabbrev_np(*outcome.signal);
      return fmt::format("The script's process crashed with SIG{}.", name != nullptr ? name : std::to_string(*outcome.signal));
    }
  }
  return {};
}

}  // namespace dlscope::app
