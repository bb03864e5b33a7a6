// Asks an interpreter about itself by running it once with -I -S, and derives where its libpython is.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

// What the interpreter said about itself.
struct InterpreterFacts {
  std::string executable;      // sys.executable
  std::string implementation;  // "cpython"
  std::string version;         // "3.11.7"
  std::string base_prefix;
  std::string mapped_library;  // the libpython in its own address map; "" when it is static
  std::string library_name;    // INSTSONAME, "libpython3.11.so.1.0"
  std::string link_name;       // LDLIBRARY
  std::string library_dir;     // LIBDIR
  std::string multiarch;
  std::string config_dir;  // LIBPL
  bool free_threaded = false;
};

// Blocks for as long as the interpreter takes, at most 20 s or until `stop`. Fails with a message when it cannot be run or is too
// old to answer.
[[nodiscard]] core::Result<InterpreterFacts> ask_python(const std::string& executable, const std::stop_token& stop = {});

// The parser behind it, for tests: the fields in the order of InterpreterFacts, each ended by a NUL byte.
[[nodiscard]] core::Result<InterpreterFacts> parse_interpreter_facts(std::string_view answer);

// Paths where the library may be, best first. Static archives are left out.
[[nodiscard]] std::vector<std::string> libpython_candidates(const InterpreterFacts& facts);

}  // namespace dlscope::app
