// AnyThreadGil: takes the GIL in code that may be called on any thread at any time, such as a DLPack deleter: with or without the
// GIL held, and while the interpreter runs, ends, or is gone.
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
  // False: Python is ending on another thread, or has ended. Then call nothing of it; what would need it has to be leaked.
  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
  bool ensured_ = false;
  PyGILState_STATE state_{};
};

}  // namespace dlscope::embed
