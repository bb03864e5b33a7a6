// `_dlscope`: the entry point of the compiled part of the package `dlscope`.
#include "core/base/build_id.h"
#include "embed/host/host_functions.h"
#include "embed/module/module_functions.h"
#include "embed/module/tensor_functions.h"
#include "embed/python_api.h"
#include "embed/tensors/tensor_type.h"

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__dlscope() {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT,
      "_dlscope",
      "The compiled half of the package dlscope.",
      -1,
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr,
  };
  PyObject* const module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  if (PyModule_AddFunctions(module, dlscope::embed::user_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::tensor_methods()) == 0 && dlscope::embed::add_tensor_type(module) &&
      PyModule_AddFunctions(module, dlscope::embed::host_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::host_process_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::host_scan_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::host_act_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::host_event_methods()) == 0 &&
      PyModule_AddFunctions(module, dlscope::embed::host_stop_methods()) == 0 &&
      PyModule_AddStringConstant(module, "__version__", dlscope::core::version()) == 0 &&
      PyModule_AddStringConstant(module, "build_id", dlscope::core::build_id()) == 0) {
    return module;
  }
  Py_DECREF(module);
  return nullptr;
}
