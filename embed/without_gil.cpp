// Up to 3.13 an ending interpreter answers a thread that asks for the GIL with pthread_exit (from 3.14 on the thread sleeps).
// Unwinding our frames would then run destructors that need the GIL, or end the process when the unwinder is not the one our
// frames were linked with. A cleanup handler of C stops the unwinding before it reaches our frames: it is entered by longjmp. C++
// supports such handlers only without exceptions, so CMakeLists.txt compiles this file without them.
#include "embed/without_gil.h"

#include <pthread.h>
#include <unistd.h>

#ifdef __EXCEPTIONS
#error "pthread_cleanup_push would be a C++ destructor: compile this file with -fno-exceptions"
#endif

namespace dlscope::embed {
namespace {

void sleep_for_ever(void*) {
  for (;;) pause();
}

}  // namespace

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
