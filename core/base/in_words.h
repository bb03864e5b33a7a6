// in_words(): calls what returns a Result, and turns an exception into its Error: for a request whose one end has to be told,
// whatever happens. Not catch (...): pthread_exit() unwinds with an exception that must not be caught.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "core/base/result.h"

namespace dlscope::core {

template <class Call>
[[nodiscard]] auto in_words(Call&& call) -> decltype(std::forward<Call>(call)()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::environment, "there is not enough memory for it");
  } catch (const std::exception& error) {
    return fail(ErrorKind::environment, std::string("dlscope failed: ") + error.what());
  }
}

}  // namespace dlscope::core
