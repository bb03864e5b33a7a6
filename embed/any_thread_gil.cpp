#include "embed/any_thread_gil.h"

#include "embed/without_gil.h"

// Every CPython exports these; the limited API of 3.9 hides them, and the names differ by version.
extern "C" {
__attribute__((weak)) int Py_IsFinalizing();                          // 3.13
__attribute__((weak)) int _Py_IsFinalizing();                         // to 3.12
__attribute__((weak)) PyThreadState* PyThreadState_GetUnchecked();    // 3.13
__attribute__((weak)) PyThreadState* _PyThreadState_UncheckedGet();   // to 3.12
}

namespace dlscope::embed {
namespace {

bool is_ending() {
  if (Py_IsInitialized() == 0) return true;
  if (Py_IsFinalizing != nullptr) return Py_IsFinalizing() != 0;
  return _Py_IsFinalizing != nullptr && _Py_IsFinalizing() != 0;
}

// Not PyGILState_Check(), which returns true for every thread once the interpreter is gone.
bool holds_gil() {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (own == nullptr) return false;
  if (PyThreadState_GetUnchecked != nullptr) return PyThreadState_GetUnchecked() == own;
  return _PyThreadState_UncheckedGet != nullptr && _PyThreadState_UncheckedGet() == own;
}

}  // namespace

AnyThreadGil::AnyThreadGil() {
  if (is_ending()) {
    held_ = holds_gil();  // the ending thread itself destroys the last objects
    return;
  }
  state_ = ensure_gil();
  held_ = ensured_ = true;
}

AnyThreadGil::~AnyThreadGil() {
  if (ensured_) PyGILState_Release(state_);
}

}  // namespace dlscope::embed
