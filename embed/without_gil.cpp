// A thread that comes back after the interpreter's end sleeps: why, and why this file is compiled without exceptions, is said in
// foreign_calls.cpp.
#include "embed/without_gil.h"

#include <pthread.h>

#include "embed/foreign_calls.h"

#ifdef __EXCEPTIONS
#error "pthread_cleanup_push would be a C++ destructor: compile this file with -fno-exceptions"
#endif

namespace dlscope::embed {

WithoutGil::~WithoutGil() {
  pthread_cleanup_push(sleep_for_ever, nullptr);
  PyEval_RestoreThread(state_);
  pthread_cleanup_pop(0);
}

PyGILState_STATE ensure_gil() {
  PyGILState_STATE state{};
  pthread_cleanup_push(sleep_for_ever, nullptr);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}

}  // namespace dlscope::embed
