#include "embed/plain_repr.h"

#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

bool is_plain(PyObject* value, const ReprLimits& limits, int depth) {
  if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value)) return true;
  if (PyUnicode_CheckExact(value)) return PyUnicode_GetLength(value) <= limits.longest_text;
  if (PyBytes_CheckExact(value)) return PyBytes_Size(value) <= limits.longest_text;
  const bool is_list = PyList_CheckExact(value);
  if ((!is_list && !PyTuple_CheckExact(value)) || depth == 0) return false;
  const Py_ssize_t count = is_list ? PyList_Size(value) : PyTuple_Size(value);
  if (count > limits.most_items) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_plain(is_list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i), limits, depth - 1)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> plain_repr(PyObject* value, const ReprLimits& limits) {
  if (!is_plain(value, limits, limits.deepest)) return std::nullopt;
  const PyRef message = PyRef::steal(PyObject_Repr(value));
  if (message) return text_of(message.get());
  PyErr_Clear();  // an int with too many digits
  return std::nullopt;
}

}  // namespace dlscope::embed
