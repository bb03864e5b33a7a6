// Decides whether a KeyboardInterrupt means "stop dlscope's work on the user's objects", or was raised by a producer itself,
// which counts as a refusal like any other exception.
#pragma once

#include <stop_token>

namespace dlscope::embed {

// While it exists, a KeyboardInterrupt on this thread stops our work only when `stop` was requested. Without a scope every
// KeyboardInterrupt does: in a plain interpreter Ctrl+C is the only known source.
class InterruptScope {
 public:
  explicit InterruptScope(std::stop_token stop);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Stop of the innermost scope on this thread; false without a scope. One atomic load, for loops over millions of entries.
  [[nodiscard]] static bool stop_requested();
  // Whether a pending KeyboardInterrupt must stop our work.
  [[nodiscard]] static bool counts();

 private:
  std::stop_token stop_;
  const InterruptScope* outer_;
};

}  // namespace dlscope::embed
