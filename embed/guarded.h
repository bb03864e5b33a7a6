// guarded<f>, guarded_keywords<f>(): f as the interpreter may call it. No C++ exception may travel through its C frames; here it
// becomes a Python one. Whatever is in a method table stands there through one of these.
#pragma once

#include <exception>
#include <new>

#include "embed/python_api.h"

namespace dlscope::embed {

// Not catch (...): glibc unwinds a thread that ends by pthread_exit with something that must not be caught.
template <auto function, class... Args>
PyObject* call_guarded(Args... args) {
  try {
    return function(args...);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "dlscope failed: %s", error.what());
    return nullptr;
  }
}

// For METH_NOARGS, METH_O and METH_VARARGS.
template <PyObject* (*function)(PyObject*, PyObject*)>
inline constexpr PyCFunction guarded = call_guarded<function, PyObject*, PyObject*>;

// For METH_VARARGS | METH_KEYWORDS, whose functions a table holds under the type of the others.
template <PyObject* (*function)(PyObject*, PyObject*, PyObject*)>
PyCFunction guarded_keywords() {
  constexpr auto guarded_function = call_guarded<function, PyObject*, PyObject*, PyObject*>;
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_function));
}

}  // namespace dlscope::embed
