#include "app/models/host/outcome_sentence.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "app/models/text/format.h"

namespace dlscope::app {

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
      if (!outcome.error->message.empty()) text += ": " + shortened(outcome.error->message, 120);
      return text + (text.ends_with('.') ? "" : ".");
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
