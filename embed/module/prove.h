// dlscope.prove(): judges a chain of tensors, each hand-over to the next.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* prove(PyObject* module, PyObject* args, PyObject* keywords);
extern const char* const kProveDoc;

}  // namespace dlscope::embed
