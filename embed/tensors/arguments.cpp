#include "embed/tensors/arguments.h"

namespace dlscope::embed {
namespace {

// dlscope._spellings.<function>(value): a tuple of integers. The module is imported with the package, before user code runs.
PyRef ask_spellings(const char* function, PyObject* value) {
  const PyRef module = PyRef::steal(PyImport_ImportModule("dlscope._spellings"));
  return PyRef::steal(module ? PyObject_CallMethod(module.get(), function, "(O)", value) : nullptr);
}

bool is_integer_pair(PyObject* value) {
  return PyTuple_CheckExact(value) && PyTuple_Size(value) == 2 && PyLong_CheckExact(PyTuple_GetItem(value, 0)) &&
         PyLong_CheckExact(PyTuple_GetItem(value, 1));
}

// None: neither True nor False, of Python's or of NumPy's bool. NumPy's cannot be subclassed: no code of the user's runs.
std::optional<bool> truth_of(PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  const PyRef type = PyRef::share(reinterpret_cast<PyObject*>(Py_TYPE(value)));
  if (text_of(type_attribute(type.get(), "__module__").get()) != "numpy") return std::nullopt;
  const std::string name = text_of(type_attribute(type.get(), "__name__").get());
  const int truth = name == "bool" || name == "bool_" ? PyObject_IsTrue(value) : -1;
  if (truth < 0) PyErr_Clear();
  return truth < 0 ? std::nullopt : std::optional<bool>(truth > 0);
}

}  // namespace

bool read_device(PyObject* value, std::optional<core::DeviceId>& out) {
  out.reset();
  if (value == Py_None) return true;
  const PyRef pair = is_integer_pair(value) ? PyRef::share(value) : ask_spellings("device", value);
  if (!pair) return false;
  core::DeviceId device;
  if (PyArg_ParseTuple(pair.get(), "ii", &device.type, &device.id) == 0) return false;
  out = device;
  return true;
}

bool read_dtype(PyObject* value, std::optional<core::DType>& out) {
  out.reset();
  if (value == Py_None) return true;
  if (PyUnicode_Check(value)) {
    if ((out = core::dtype_from_name(text_of(value)))) return true;
  }
  const PyRef triple = ask_spellings("dtype", value);
  int code = 0, bits = 0, lanes = 0;
  if (!triple || PyArg_ParseTuple(triple.get(), "iii", &code, &bits, &lanes) == 0) return false;
  out = core::DType{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
  return true;
}

bool read_flag(PyObject* value, const char* name, bool& out) {
  const std::optional<bool> truth = truth_of(value);
  out = truth.value_or(false);
  if (truth) return true;
  PyErr_Format(PyExc_TypeError, "%s is True or False, not a value of type %R", name, Py_TYPE(value));
  return false;
}

bool read_copy(PyObject* value, std::optional<bool>& out) {
  out = truth_of(value);
  if (out || value == Py_None) return true;
  PyErr_SetString(PyExc_TypeError, "copy is True, False or None");
  return false;
}

}  // namespace dlscope::embed
