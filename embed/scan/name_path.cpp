#include "embed/scan/name_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

constexpr Py_ssize_t kLongestKey = 200;  // characters of a str or bytes key that are shown
constexpr int kDeepestTuple = 4;

// Exact builtins only: their repr is Python's own.
bool has_plain_repr(PyObject* key, int depth) {
  if (key == Py_None || PyBool_Check(key) || PyLong_CheckExact(key) || PyFloat_CheckExact(key)) return true;
  if (PyUnicode_CheckExact(key)) return PyUnicode_GetLength(key) <= kLongestKey;
  if (PyBytes_CheckExact(key)) return PyBytes_Size(key) <= kLongestKey;
  if (!PyTuple_CheckExact(key) || depth == 0 || PyTuple_Size(key) > 16) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(key); ++i) {
    if (!has_plain_repr(PyTuple_GetItem(key, i), depth - 1)) return false;
  }
  return true;
}

}  // namespace

std::string key_suffix(PyObject* key, std::size_t index) {
  if (has_plain_repr(key, kDeepestTuple)) {
    const PyRef words = PyRef::steal(PyObject_Repr(key));
    if (words) return "[" + text_of(words.get()) + "]";
    PyErr_Clear();  // an int of too many digits
  }
  const PyRef type = PyRef::share(reinterpret_cast<PyObject*>(Py_TYPE(key)));
  return fmt::format("[<{} {}>]", text_of(type_attribute(type.get(), "__name__").get()), index);
}

std::string index_suffix(std::size_t index) { return "[" + fmt::format_int(index).str() + "]"; }
std::string set_suffix(std::size_t index) { return "<" + fmt::format_int(index).str() + ">"; }

std::string attribute_suffix(std::string_view name) {
  const bool digits = !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return fmt::format("[{}]", name);
  return fmt::format(".{}", name);
}

}  // namespace dlscope::embed
