// A call into the module that may come from inside another: producers may call us from inside their own __dlpack__, and that must
// end some time.
// thread: GIL held.
#pragma once

#include "embed/module/open_calls.h"

namespace dlscope::embed {

class NestedCall {
 public:
  NestedCall();  // not allowed: a RecursionError is set
  ~NestedCall();
  NestedCall(const NestedCall&) = delete;
  NestedCall& operator=(const NestedCall&) = delete;
  explicit operator bool() const { return allowed_; }

 private:
  const OpenCall open_;
  bool allowed_;
};

}  // namespace dlscope::embed
