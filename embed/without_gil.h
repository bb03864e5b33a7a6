// Releases the GIL for as long as it lives. thread: one that holds the GIL.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace dlscope::embed
