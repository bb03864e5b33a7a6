// How a run of user code ended. The names are those of the report (docs/report.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlscope::core {

enum class Outcome : std::uint8_t { not_run, finished, raised, interrupted, timeout, crashed };
[[nodiscard]] const char* outcome_name(Outcome outcome);

struct ScriptError {
  std::string type;  // "ValueError"
  std::string message;
  std::int32_t line = 0;  // current line of the innermost frame that is in the script file; 0: there is none
  std::string traceback;  // as Python prints it, without dlscope's own frames
};

// What is known about a fatal signal, besides the Python stack.
struct CrashFacts {
  enum class Access : std::uint8_t { unknown, read, write };
  struct NativeFrame {
    std::string library;  // path of the mapped file that contains the code; "": none
    std::uint64_t offset = 0;  // bytes from the start of that file; without a file the address
    std::string symbol;  // function name; "": not in the file's symbol table
  };
  std::optional<std::uint64_t> address;  // the memory that was accessed; nullopt if the signal was sent, as by abort()
  Access access = Access::unknown;
  std::string memory;  // what the address map says about it: "nothing is mapped there"; "": the map could not be read
  std::string where;   // a sentence: which tensor of the last snapshot it lies in or near; "": there is no address
  std::vector<NativeFrame> native;  // innermost first
};

struct RunOutcome {
  Outcome outcome = Outcome::not_run;
  std::string script_path;  // as given; "-c" code: "<string>"
  std::optional<ScriptError> error;
  std::optional<std::int32_t> exit_code;  // sys.exit(n) / os._exit(n)
  std::optional<std::int32_t> signal;     // crashed
  std::optional<CrashFacts> crash = {};
};

}  // namespace dlscope::core
