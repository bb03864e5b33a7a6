// Protocol methods and attributes of dlscope.Tensor for its type's tables. Python may call every function here.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

// The calling convention for keywords without an argument tuple: in every CPython >= 3.7, in the limited API since 3.10.
inline constexpr int kFastKeywords = 0x0080 | METH_KEYWORDS;
PyObject* tensor_dlpack(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);
PyObject* tensor_array_interface(PyObject* self, void*);
PyObject* tensor_cuda_array_interface(PyObject* self, void*);
int tensor_get_buffer(PyObject* self, BufferView* view, int flags);
void tensor_release_buffer(PyObject* self, BufferView* view);

}  // namespace dlscope::embed
