// PyArrow: its arrays give access to their buffers.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/plain_repr.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

class PyarrowSession final : public LibrarySession {
 public:
  // Not of a subclass of the user's, whose methods would be called.
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    if (!text_of(type_attribute(reinterpret_cast<PyObject*>(type), "__module__").get()).starts_with("pyarrow")) return {};
    // Its Tensor and its mutable Buffer are other types, over memory that may be written.
    if (derives_from(type, "pyarrow", "Array")) return {.holds = Holds::parts, .immutable = true};
    for (const char* const name : {"ChunkedArray", "Table", "RecordBatch"}) {
      if (derives_from(type, "pyarrow", name)) return {.holds = Holds::parts};
    }
    return {};
  }

  void parts(PyObject* object, Parts& out) override {
    PyTypeObject* const type = Py_TYPE(object);
    if (derives_from(type, "pyarrow", "ChunkedArray"))
      return numbered(object, call_method(object, "iterchunks"), ".chunk({})", {}, out);
    if (!derives_from(type, "pyarrow", "Array")) return columns(object, out);
    const PyRef buffers = call_method(object, "buffers");
    numbered(object, buffers, ".buffers()[{}]", buffers ? remarks_by_count(object) : std::vector<core::Remark>{}, out);
    if (PyErr_Occurred() != nullptr) return;
    // Not among its buffers.
    if (derives_from(type, "pyarrow", "DictionaryArray"))
      out.add(PyRef::steal(PyObject_GetAttrString(object, "dictionary")), ".dictionary");
  }

 private:
  // Behind the bitmap of validity, its first buffer.
  static std::vector<core::Remark> remarks_by_count(PyObject* array) {
    const PyRef count = PyRef::steal(PyObject_GetAttrString(array, "null_count"));
    const Py_ssize_t nulls = count ? PyNumber_AsSsize_t(count.get(), PyExc_OverflowError) : -1;
    const Py_ssize_t values = nulls > 0 ? PyObject_Size(array) : -1;
    if (nulls < 0 || (nulls > 0 && values < 0)) clear_unless_interrupt();
    if (values < nulls || nulls <= 0) return {};
    return {remark_nulls(static_cast<std::uint64_t>(nulls), static_cast<std::uint64_t>(values))};
  }

  // second: what holds for the second of them.
  static void numbered(PyObject* object, const PyRef& given, const char* suffix, const std::vector<core::Remark>& second,
                       Parts& out) {
    const PyRef list = PyRef::steal(given ? PySequence_List(given.get()) : nullptr);
    if (!list) return out.add_not_given(object, "PyArrow did not give the parts that it is made of");
    for (Py_ssize_t i = 0; list && i < PyList_Size(list.get()); ++i)
      out.add(PyRef::share(PyList_GetItem(list.get(), i)), fmt::format(fmt::runtime(suffix), i), {},
              i == 1 ? second : std::vector<core::Remark>{});
  }

  static void columns(PyObject* table, Parts& out) {
    const PyRef names = PyRef::steal(PyObject_GetAttrString(table, "column_names"));
    const PyRef list = PyRef::steal(names ? PyObject_GetAttrString(table, "columns") : nullptr);
    const bool usable = names && list && PyList_Check(names.get()) && PyList_Check(list.get()) &&
                        PyList_Size(names.get()) == PyList_Size(list.get());
    if (!usable) return out.add_not_given(table, "PyArrow did not give its columns");
    std::map<std::string, int> times;  // PyArrow finds no column by a name that several have
    for (Py_ssize_t i = 0; i < PyList_Size(names.get()); ++i) ++times[text_of(PyList_GetItem(names.get(), i))];
    for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
      PyObject* const name = PyList_GetItem(names.get(), i);
      const auto message = times[text_of(name)] == 1 ? plain_repr(name) : std::nullopt;
      out.add(PyRef::share(PyList_GetItem(list.get(), i)), message ? "[" + *message + "]" : fmt::format(".column({})", i));
    }
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_pyarrow() { return std::make_unique<PyarrowSession>(); }

}  // namespace dlscope::embed
