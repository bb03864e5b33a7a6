// watch_capsule() and capsules() of the Python module: entries of module_functions' table.
// thread: GIL held.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* watch_capsule_function(PyObject* module, PyObject* capsule);
PyObject* capsules_function(PyObject* module, PyObject* args);

extern const char* const kWatchCapsuleDoc;
extern const char* const kCapsulesDoc;

}  // namespace dlscope::embed
