// in_words(): calls what returns a Result, and turns an exception into its Error: for a request whose one end has to be told,
// whatever happens. Not catch (...): pthread_exit() unwinds with an exception that must not be caught.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace dlscope::core {

// What an exception is called where nothing else is said of it; the second is followed by its own words.
inline constexpr const char* kNotEnoughMemory = "there is not enough memory for it";
inline constexpr const char* kDlscopeFailed = "dlscope failed: ";

template <class Call>
[[nodiscard]] auto in_words(Call&& call) -> decltype(std::forward<Call>(call)()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::environment, kNotEnoughMemory);
  } catch (const std::exception& error) {
    return fail(ErrorKind::environment, kDlscopeFailed + std::string(error.what()));
  }
}

}  // namespace dlscope::core
