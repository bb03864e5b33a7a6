// Releases the GIL for as long as it lives. thread: one that holds the GIL.
// A thread whose interpreter ends meanwhile does not come back: it sleeps until the process is gone.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "embed/python_api.h"

namespace dlscope::embed {

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Without the GIL for long work, and with it for a moment several times a second, so that Python's signal handlers run (Ctrl+C).
class InterruptibleWithoutGil {
 public:
  InterruptibleWithoutGil() { released_.emplace(); }

  // To be asked now and then. False: a handler raised, and its exception is pending once the GIL is back for good.
  [[nodiscard]] bool goes_on() {
    constexpr std::int64_t kBetweenSignals = 50'000'000;  // ns
    if (raised_ || core::monotonic_ns() - heard_ < kBetweenSignals) return !raised_;
    released_.reset();
    raised_ = PyErr_CheckSignals() != 0;
    released_.emplace();
    heard_ = core::monotonic_ns();
    return !raised_;
  }

 private:
  std::optional<WithoutGil> released_;
  std::int64_t heard_ = core::monotonic_ns();
  bool raised_ = false;
};

// PyGILState_Ensure(), with the same end for a thread that comes too late.
[[nodiscard]] PyGILState_STATE ensure_gil();

}  // namespace dlscope::embed
