#include "embed/module/json_to_python.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dlscope::embed {
namespace {

// Builds Python objects while parsing; a handler returns false, with a Python error set, to stop the parser.
class PythonBuilder {
 public:
  using Json = nlohmann::json;

  bool null() { return put(PyRef::share(Py_None)); }
  bool boolean(bool value) { return put(PyRef::share(value ? Py_True : Py_False)); }
  bool number_integer(std::int64_t value) { return put(PyRef::steal(PyLong_FromLongLong(value))); }
  bool number_unsigned(std::uint64_t value) { return put(PyRef::steal(PyLong_FromUnsignedLongLong(value))); }
  bool number_float(double value, const std::string&) { return put(PyRef::steal(PyFloat_FromDouble(value))); }
  bool string(std::string& value) { return put(text(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(PyRef::steal(PyDict_New())); }
  bool start_array(std::size_t) { return open(PyRef::steal(PyList_New(0))); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    open_.back().key = PyRef::steal(PyUnicode_InternFromString(value.c_str()));  // the report's keys: short, without NUL
    return static_cast<bool>(open_.back().key);
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return false;
  }

  PyRef result;

 private:
  struct Level {
    PyRef container;
    PyRef key;
  };

  static PyRef text(const std::string& value) {
    return PyRef::steal(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
  }

  bool put(PyRef value) {
    if (!value) return false;
    if (open_.empty()) {
      result = std::move(value);
      return true;
    }
    Level& level = open_.back();
    if (level.key) return PyDict_SetItem(level.container.get(), level.key.get(), value.get()) == 0;
    return PyList_Append(level.container.get(), value.get()) == 0;
  }

  bool open(PyRef container) {
    if (!container) return false;
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    PyRef done = std::move(open_.back().container);
    open_.pop_back();
    return put(std::move(done));
  }

  std::vector<Level> open_;
};

}  // namespace

PyRef python_from_json(std::string_view json) {
  PythonBuilder builder;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &builder)) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_RuntimeError, "the report could not be turned into objects");
    return {};
  }
  return std::move(builder.result);
}

}  // namespace dlscope::embed
