// When a KeyboardInterrupt means "break off what dlscope does with the user's objects", and when it is an exception that a
// producer raised by itself: that one is a refusal like any other.
#pragma once

#include <stop_token>

namespace dlscope::embed {

// While it lives, a KeyboardInterrupt on this thread breaks our work off only when `stop` was requested. Without a scope every
// KeyboardInterrupt does: in a plain interpreter nobody but Ctrl+C raises one, as far as anyone can tell.
class InterruptScope {
 public:
  explicit InterruptScope(std::stop_token stop);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Of the innermost scope on this thread. One atomic load: for loops over millions of entries. False without a scope.
  [[nodiscard]] static bool stop_requested();
  // Whether a pending KeyboardInterrupt is to be obeyed.
  [[nodiscard]] static bool counts();

 private:
  std::stop_token stop_;
  const InterruptScope* outer_;
};

}  // namespace dlscope::embed
