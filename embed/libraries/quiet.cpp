#include "embed/libraries/quiet.h"

namespace dlscope::embed {

Quiet::Quiet(const std::vector<PyRef>& guards) {
  for (const PyRef& type : guards) {
    PyRef guard = PyRef::steal(type ? dlscope_call_no_args(type.get()) : nullptr);
    const PyRef done = PyRef::steal(guard ? PyObject_CallMethod(guard.get(), "__enter__", nullptr) : nullptr);
    if (done) entered_.push_back(std::move(guard));
    if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
    if (PyErr_Occurred() != nullptr) return;
  }
}

Quiet::~Quiet() {
  if (entered_.empty()) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  while (!entered_.empty()) {
    const PyRef done =
        PyRef::steal(PyObject_CallMethod(entered_.back().get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
    if (!done) PyErr_Clear();  // C code of the library, which does not fail
    entered_.pop_back();
  }
  PyErr_Restore(type, value, traceback);
}

}  // namespace dlscope::embed
