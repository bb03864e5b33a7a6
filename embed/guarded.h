// guarded<f>, guarded_keywords<f>(): wraps a function for the interpreter's method tables. A C++ exception must not pass through
// C frames; it becomes a Python exception here. Every entry of a method table uses one of these.
#pragma once

#include <exception>
#include <new>

#include "core/base/in_words.h"
#include "embed/python_api.h"

namespace dlscope::embed {

// Not catch (...): pthread_exit unwinds with an exception that must not be caught.
template <auto function, class... Args>
PyObject* call_guarded(Args... args) {
  try {
    return function(args...);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "%s%s", core::kDlscopeFailed, error.what());
    return nullptr;
  }
}

// For METH_NOARGS, METH_O and METH_VARARGS.
template <PyObject* (*function)(PyObject*, PyObject*)>
inline constexpr PyCFunction guarded = call_guarded<function, PyObject*, PyObject*>;

// For METH_VARARGS | METH_KEYWORDS, whose functions are stored in the table with another type.
template <PyObject* (*function)(PyObject*, PyObject*, PyObject*)>
PyCFunction guarded_keywords() {
  constexpr auto guarded_function = call_guarded<function, PyObject*, PyObject*, PyObject*>;
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_function));
}

}  // namespace dlscope::embed
