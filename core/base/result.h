// Result<T>: a value, or an Error with a readable message. For failures caused from outside (Python, files, foreign structs,
// the system). Our own mistakes are assertions. No exception crosses a folder border.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace dlscope::core {

enum class ErrorKind {
  invalid,      // the input is malformed
  unsupported,  // well formed, but dlscope cannot handle it
  not_found,    // a file, an interpreter, a name
  environment,  // the system refused: permission, memory, a missing library
  cancelled,
};

// message: one line for the user: what was attempted, what was found, what to do about it.
struct Error {
  ErrorKind kind;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message)});
}

}  // namespace dlscope::core
