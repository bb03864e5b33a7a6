#include "embed/scan/name_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "embed/plain_repr.h"
#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

bool is_nan(PyObject* key) { return PyFloat_CheckExact(key) && std::isnan(PyFloat_AsDouble(key)); }
bool is_infinite(PyObject* key) { return PyFloat_CheckExact(key) && std::isinf(PyFloat_AsDouble(key)); }

template <class Kind>
bool has(PyObject* key, Kind kind) {
  if (kind(key)) return true;
  for (Py_ssize_t i = 0; PyTuple_CheckExact(key) && i < PyTuple_Size(key); ++i) {
    if (has(PyTuple_GetItem(key, i), kind)) return true;
  }
  return false;
}

// An expression that is equal to the key, which has a plain repr. inf has no literal in Python.
std::string spelled(PyObject* key) {
  if (is_infinite(key)) return PyFloat_AsDouble(key) > 0 ? "float('inf')" : "float('-inf')";
  if (!has(key, is_infinite)) return plain_repr(key).value_or("");
  std::string out = "(";
  const Py_ssize_t count = PyTuple_Size(key);
  for (Py_ssize_t i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + spelled(PyTuple_GetItem(key, i));
  return out + (count == 1 ? ",)" : ")");
}

// nullopt: no expression finds the entry. nan equals nothing: only the very object finds it.
std::optional<std::string> expression(PyObject* key) {
  auto message = plain_repr(key);
  if (!message || has(key, is_nan)) return std::nullopt;
  return has(key, is_infinite) ? spelled(key) : std::move(message);
}

}  // namespace

std::string key_suffix(PyObject* key, std::size_t index) {
  if (const auto typed = expression(key)) return "[" + *typed + "]";
  if (is_nan(key)) return fmt::format("[<nan {}>]", index);
  const PendingError pending;
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
