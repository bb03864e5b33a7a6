#include "embed/py_ref.h"

#include "embed/interrupts.h"

namespace dlscope::embed {

std::string text_of(PyObject* str) {
  if (str == nullptr || !PyUnicode_Check(str)) return {};
  const PendingError pending;
  Py_ssize_t size = 0;
  if (const char* utf8 = dlscope_utf8(str, &size)) return {utf8, static_cast<std::size_t>(size)};
  PyErr_Clear();
  const PyRef bytes = PyRef::steal(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace"));
  if (!bytes) {
    PyErr_Clear();
    return {};
  }
  return {PyBytes_AsString(bytes.get()), static_cast<std::size_t>(PyBytes_Size(bytes.get()))};
}

PyRef type_attribute(PyObject* type, const char* name) {
  if (PyErr_Occurred() != nullptr) return {};
  PyRef found =
      PyRef::steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyType_Type), "__getattribute__", "Os", type, name));
  if (!found) clear_unless_interrupt();
  return found;
}

std::string qualified_name(PyObject* type) {
  const PendingError pending;
  std::string name = text_of(type_attribute(type, "__qualname__").get());
  const std::string module = text_of(type_attribute(type, "__module__").get());
  if (name.empty()) name = "?";
  if (module.empty() || module == "builtins" || module == "__main__") return name;
  return module + "." + name;
}

PyErrorText take_error() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr) return {};
  PyErr_NormalizeException(&type, &value, &traceback);
  const PyRef owned_type = PyRef::steal(type), owned_value = PyRef::steal(value);
  const PyRef owned_traceback = PyRef::steal(traceback);
  PyErrorText text{qualified_name(type), {}};
  const PyRef wording = PyRef::steal(value ? PyObject_Str(value) : nullptr);  // may run the exception's own __str__
  if (wording) {
    text.message = text_of(wording.get());
  } else {
    clear_unless_interrupt();
    text.message = "(the exception's own words could not be read)";
  }
  return text;
}

bool interrupt_pending() {
  return PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0 && InterruptScope::counts();
}

void clear_and_interrupt_later() {
  const bool again = interrupt_pending();
  PyErr_Clear();
  if (again) PyErr_SetInterrupt();
}

bool clear_unless_interrupt() {
  if (interrupt_pending()) return true;
  PyErr_Clear();
  return false;
}

}  // namespace dlscope::embed
