// Releases the GIL while this exists. thread: one that holds the GIL. If the interpreter ends meanwhile, the thread does not
// return: it sleeps until the process ends.
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

// For long work: releases the GIL, but takes it several times a second for a moment, so that Python's signal handlers run
// (Ctrl+C).
class InterruptibleWithoutGil {
 public:
  InterruptibleWithoutGil() { released_.emplace(); }

  // Call it often; runs Python's signal handlers at most every 50 ms. False: a handler raised, and the work is to end; the
  // exception is pending when the GIL is held again. Blocks for as long as the GIL takes.
  [[nodiscard]] bool run_signal_handlers() {
    constexpr std::int64_t kBetweenSignals = 50'000'000;  // ns
    if (raised_ || core::monotonic_ns() - last_check_ns_ < kBetweenSignals) return !raised_;
    released_.reset();
    raised_ = PyErr_CheckSignals() != 0;
    released_.emplace();
    last_check_ns_ = core::monotonic_ns();
    return !raised_;
  }

 private:
  std::optional<WithoutGil> released_;
  std::int64_t last_check_ns_ = core::monotonic_ns();
  bool raised_ = false;
};

// PyGILState_Ensure(), but a thread that comes after the interpreter's end sleeps, too.
[[nodiscard]] PyGILState_STATE ensure_gil();

}  // namespace dlscope::embed
