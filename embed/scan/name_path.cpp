#include "embed/scan/name_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "embed/plain_repr.h"
#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

constexpr std::array<std::string_view, 35> kKeywords{
    "False", "None",   "True",   "and",  "as",   "assert", "async",    "await", "break", "class", "continue", "def",
    "del",   "elif",   "else",   "except", "finally", "for", "from",   "global", "if",   "import", "in",      "is",
    "lambda", "nonlocal", "not", "or",   "pass", "raise",  "return",   "try",   "while", "with",  "yield"};

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

bool may_follow_a_dot(PyObject* name) {
  const std::string text = text_of(name);
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  bool is_ascii = true;
  for (const char c : text) {
    const bool in_word = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
    is_ascii = is_ascii && static_cast<unsigned char>(c) < 0x80;
    if (!in_word && static_cast<unsigned char>(c) < 0x80) return false;
  }
  if (is_ascii) return std::ranges::find(kKeywords, text) == kKeywords.end();
  const PendingError pending;
  const PyRef exact = PyRef::steal(PyUnicode_FromObject(name));  // a class of the user's may have an isidentifier() of its own
  const PyRef answer = PyRef::steal(exact ? PyObject_CallMethod(exact.get(), "isidentifier", nullptr) : nullptr);
  return answer.get() == Py_True;
}

std::string attribute_suffix(PyObject* name, std::string_view kept_in) {
  if (may_follow_a_dot(name)) return "." + text_of(name);
  const PendingError pending;
  const PyRef exact = PyRef::steal(PyUnicode_FromObject(name));
  const auto key = exact ? plain_repr(exact.get()) : std::nullopt;
  return key ? fmt::format("{}[{}]", kept_in, *key) : "." + text_of(name);
}

}  // namespace dlscope::embed
