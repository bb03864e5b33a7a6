// Python.h for the limited API of 3.9, plus a few functions that every CPython >= 3.9 exports although the limited headers of 3.9
// hide them (buffer functions, AsUTF8AndSize, CallNoArgs, VectorcallMethod). All of embed includes this file, never Python.h
// itself.
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#include <Python.h>

#include <cstddef>

namespace dlscope::embed {

// The layout of Py_buffer, unchanged from 3.0 to 3.14 (PEP 3118; frozen by the stable ABI since 3.11).
struct BufferView {
  void* buf;
  PyObject* obj;
  Py_ssize_t len;
  Py_ssize_t itemsize;
  int readonly;
  int ndim;
  char* format;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  Py_ssize_t* suboffsets;
  void* internal;
};

// Shape, strides and format. An exporter that needs suboffsets must refuse this request (PyBUF_RECORDS_RO).
inline constexpr int kBufferStridedReadOnly = 0x0010 | 0x0008 | 0x0004;

// What may run a producer's code. As the functions of CPython, but a thread that an ending interpreter ends inside sleeps until
// the process ends (embed/foreign_calls.cpp): its unwinding would go through our frames and abort the user's process.
int dlscope_get_buffer(PyObject* object, BufferView* view, int flags);
void dlscope_release_buffer(BufferView* view);
PyObject* dlscope_call_no_args(PyObject* callable);
PyObject* dlscope_call_method(PyObject* name, PyObject* const* args, std::size_t count, PyObject* keyword_names);
PyObject* dlscope_call(PyObject* callable, PyObject* args, PyObject* keywords);
PyObject* dlscope_get_attribute(PyObject* object, const char* name);
void drop_reference(PyObject* object);  // Py_DECREF: a finaliser, or the destructor of a capsule

extern "C" {
int dlscope_check_buffer(PyObject* object) __asm__("PyObject_CheckBuffer");
const char* dlscope_utf8(PyObject* text, Py_ssize_t* size) __asm__("PyUnicode_AsUTF8AndSize");
// In the stable ABI since 3.10, exported long before.
PyObject* dlscope_instance_dict(PyObject* object, void*) __asm__("PyObject_GenericGetDict");
}

}  // namespace dlscope::embed
