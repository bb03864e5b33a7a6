// KeptGradients: what the session of a library is, too, whose tensors may keep a gradient although they record none any more: a
// parameter that was frozen after backward(). DLPack gives such a tensor, and its parts (LibrarySession::parts) are visited all
// the same, which Holds::when_refused alone would not do.
#pragma once

#include "core/tensor/dtype.h"
#include "embed/python_api.h"

namespace dlscope::embed {

class KeptGradients {
 public:
  // Of a tensor of the library's own classes that DLPack gave, with its dtype. Asked of many: cheap. thread: GIL held. No
  // exception is left set except KeyboardInterrupt.
  [[nodiscard]] virtual bool keeps_gradient(PyObject* tensor, core::DType dtype) = 0;

 protected:
  KeptGradients() = default;
  ~KeptGradients() = default;
  KeptGradients(const KeptGradients&) = delete;
  KeptGradients& operator=(const KeptGradients&) = delete;
};

}  // namespace dlscope::embed
