// Limits nested calls into the module: a producer may call us from inside its __dlpack__, and that must not recurse forever.
// thread: GIL held.
#pragma once

#include "embed/module/open_calls.h"

namespace dlscope::embed {

class NestedCall {
 public:
  NestedCall();  // where nested too deeply, the object is false and a RecursionError is set
  ~NestedCall();
  NestedCall(const NestedCall&) = delete;
  NestedCall& operator=(const NestedCall&) = delete;
  explicit operator bool() const { return allowed_; }

 private:
  const OpenCall open_;
  bool allowed_;
};

}  // namespace dlscope::embed
