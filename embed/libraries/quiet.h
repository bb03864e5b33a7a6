// Quiet: while one lives, a library's own functions do not hand their work to the methods of a user's subclass of its tensors
// (__torch_function__, __torch_dispatch__), so that looking at such a tensor runs no code of the user's.
// thread: GIL held; destroyed in the reverse order of their making, on the thread that made them.
#pragma once

#include <utility>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

class Quiet {
 public:
  Quiet() = default;
  // Types of context managers, entered in this order. One that fails is left out; no exception is left set except
  // KeyboardInterrupt.
  explicit Quiet(const std::vector<PyRef>& guards);
  ~Quiet();  // leaves a pending exception as it is
  // Whether one was entered.
  [[nodiscard]] explicit operator bool() const { return !entered_.empty(); }
  Quiet(Quiet&&) = default;
  Quiet& operator=(Quiet&&) = delete;
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::vector<PyRef> entered_;
};

}  // namespace dlscope::embed
