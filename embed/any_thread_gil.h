// AnyThreadGil: the GIL for code that others may call on any thread and at any time, as a DLPack deleter: with the GIL or without,
// while the interpreter runs, ends, or is gone.
// thread: any.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

class AnyThreadGil {
 public:
  AnyThreadGil();
  ~AnyThreadGil();
  AnyThreadGil(const AnyThreadGil&) = delete;
  AnyThreadGil& operator=(const AnyThreadGil&) = delete;
  // False: Python is ending on another thread, or has ended. Nothing of it may be called; what would need it is left as it is.
  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
  bool ensured_ = false;
  PyGILState_STATE state_{};
};

}  // namespace dlscope::embed
