// dlscope.compare(): compares the values of two tensors.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* compare_values(PyObject* module, PyObject* args, PyObject* keywords);
extern const char* const kCompareDoc;

}  // namespace dlscope::embed
