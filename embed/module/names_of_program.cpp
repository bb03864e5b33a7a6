#include "embed/module/names_of_program.h"

#include <utility>

#include "embed/scan/namespace_scan.h"

namespace dlscope::embed {
namespace {

thread_local bool is_scanning = false;

}  // namespace

Scanning::Scanning() : started_(!std::exchange(is_scanning, true)) {
  if (!started_)
    PyErr_SetString(PyExc_RuntimeError, "a scan is running already (a producer called dlscope.report() from inside it)");
}
Scanning::~Scanning() {
  if (started_) is_scanning = false;
}

PyObject* script_names(PyObject* callers) {
  PyObject* const modules = PySys_GetObject("modules");
  PyObject* const script = modules != nullptr && PyDict_Check(modules) ? PyDict_GetItemString(modules, "__main__") : nullptr;
  return script != nullptr && PyModule_Check(script) ? PyModule_GetDict(script) : callers;
}

core::SnapshotBuilder scan_program(PyObject* callers_globals) {
  ScanPlace place = ScanPlace::of_program({.script = script_names(callers_globals)});
  place.add_callers(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  return scan_names(place);
}

}  // namespace dlscope::embed
