// How a run of user code ended, in the report's words.
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
  std::int32_t line = 0;  // in the script file, of the innermost frame that lies in it; 0: none
  std::string traceback;  // as Python prints it, our own frames removed
};

// What is known of a fatal signal beside the Python stack.
struct CrashFacts {
  enum class Access : std::uint8_t { unknown, read, write };
  struct NativeFrame {
    std::string library;  // path of the file that is mapped there; "": none is
    std::uint64_t offset = 0;  // in that file; without one the address
    std::string symbol;  // "" where its symbol table has none
  };
  std::optional<std::uint64_t> address;  // the memory that was touched; none where the signal was sent, as abort() does
  Access access = Access::unknown;
  std::string memory;  // what the address map says of it: "nothing is mapped there"; "" where it could not be asked
  std::string where;   // which tensor of the last look it lies in or near, in a sentence; "" without an address
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
