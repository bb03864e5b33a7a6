// How a run of user code ended, in the report's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dlscope::core {

enum class Outcome : std::uint8_t { not_run, finished, raised, interrupted, timeout, crashed };
[[nodiscard]] const char* outcome_name(Outcome outcome);

struct ScriptError {
  std::string type;  // "ValueError"
  std::string message;
  std::int32_t line = 0;  // in the script file, of the innermost frame that lies in it; 0: none
  std::string traceback;  // as Python prints it, our own frames removed
};

struct RunOutcome {
  Outcome outcome = Outcome::not_run;
  std::string script_path;  // as given; "-c" code: "<string>"
  std::optional<ScriptError> error;
  std::optional<std::int32_t> exit_code;  // sys.exit(n) / os._exit(n)
  std::optional<std::int32_t> signal;     // crashed
};

}  // namespace dlscope::core
