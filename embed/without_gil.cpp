// Up to 3.13 an interpreter that is ending answers a thread which wants the GIL back with pthread_exit (from 3.14 on it lets the
// thread sleep). Unwinding our frames then would run destructors that need the GIL, or end the process where the unwinder is not
// the one they were linked with. A cleanup handler of C stops the unwinding before it reaches them: it is entered by longjmp.
// C++ has that kind only without exceptions, so CMakeLists.txt compiles this file without.
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
