// dlscope.prove(): a chain of tensors, judged from one to the next (design.md section 9).
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* prove(PyObject* module, PyObject* args, PyObject* keywords);
extern const char* const kProveDoc;

}  // namespace dlscope::embed
