// Releases the GIL for as long as it lives. thread: one that holds the GIL.
// A thread whose interpreter ends meanwhile does not come back: it sleeps until the process is gone.
#pragma once

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

// PyGILState_Ensure(), with the same end for a thread that comes too late.
[[nodiscard]] PyGILState_STATE ensure_gil();

}  // namespace dlscope::embed
