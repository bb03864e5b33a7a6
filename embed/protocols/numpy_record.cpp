#include "embed/protocols/numpy_record.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/dtype_format.h"
#include "core/tensor/item_format.h"
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

constexpr int kDeepest = 16;  // records within records

class RecordReader {
 public:
  explicit RecordReader(PyObject* dtype_type) : dtype_type_(dtype_type) {}

  // Of a dtype without a sub-array.
  [[nodiscard]] std::optional<core::ItemType> item(PyObject* dtype, int depth) {
    if (PyObject_IsInstance(dtype, dtype_type_) != 1 || depth > kDeepest) return std::nullopt;
    const PyRef names = attribute(dtype, "names");
    if (names && PyTuple_CheckExact(names.get())) return record(dtype, names.get(), depth);
    const PyRef text = attribute(dtype, "str");
    const std::string typestr = text_of(text.get());
    if (const auto number = core::dtype_of_typestr(typestr)) return core::number_item(*number, false);
    auto known = core::item_of_typestr(typestr);
    return known ? std::optional(std::move(*known)) : std::nullopt;
  }

 private:
  [[nodiscard]] static PyRef attribute(PyObject* object, const char* name) {
    PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
    if (!value) clear_unless_interrupt();
    return value;
  }

  [[nodiscard]] static std::optional<std::uint32_t> size_of(PyObject* number) {
    const long n = number != nullptr && PyLong_CheckExact(number) ? PyLong_AsLong(number) : -1;
    if (n < 0 || n > static_cast<long>(core::kMaxItemBytes)) {
      PyErr_Clear();  // an int of more than 64 bits
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(n);
  }

  [[nodiscard]] std::optional<core::ItemType> record(PyObject* dtype, PyObject* names, int depth) {
    const PyRef fields = attribute(dtype, "fields"), size = attribute(dtype, "itemsize");
    const auto bytes = size_of(size.get());
    if (!fields || !bytes) return std::nullopt;
    std::vector<core::ItemMember> members;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i) {
      if (++fields_ > core::kMaxItemFields) return std::nullopt;
      auto member = field(fields.get(), PyTuple_GetItem(names, i), depth);
      if (!member) return std::nullopt;
      members.push_back(std::move(*member));
    }
    if (members.empty()) return std::nullopt;
    return core::record_item(members, *bytes);
  }

  // fields[name] is (dtype, offset) or (dtype, offset, title); a dtype with a sub-array has the base and the shape in `subdtype`.
  [[nodiscard]] std::optional<core::ItemMember> field(PyObject* fields, PyObject* name, int depth) {
    const PyRef entry = PyRef::steal(PyObject_GetItem(fields, name));
    if (!entry) clear_unless_interrupt();
    if (!entry || !PyTuple_Check(entry.get()) || PyTuple_Size(entry.get()) < 2) return std::nullopt;
    const auto offset = size_of(PyTuple_GetItem(entry.get(), 1));
    if (!offset) return std::nullopt;
    core::ItemMember member{text_of(name), *offset, {}, {}};
    PyObject* type = PyTuple_GetItem(entry.get(), 0);
    const PyRef part = attribute(type, "subdtype");
    if (part && PyTuple_Check(part.get()) && PyTuple_Size(part.get()) == 2) {
      type = PyTuple_GetItem(part.get(), 0);
      if (!read_shape(PyTuple_GetItem(part.get(), 1), member.shape)) return std::nullopt;
    }
    auto item_type = item(type, depth + 1);
    if (!item_type) return std::nullopt;
    member.type = std::move(*item_type);
    return member;
  }

  [[nodiscard]] static bool read_shape(PyObject* tuple, std::vector<std::uint32_t>& shape) {
    if (!PyTuple_Check(tuple)) return false;
    for (Py_ssize_t d = 0; d < PyTuple_Size(tuple); ++d) {
      const auto n = size_of(PyTuple_GetItem(tuple, d));
      if (!n) return false;
      shape.push_back(*n);
    }
    return true;
  }

  PyObject* dtype_type_;
  std::size_t fields_ = 0;
};

}  // namespace

std::optional<core::ItemType> record_of_numpy(PyObject* array, std::uint32_t bytes) {
  static constexpr const char* kName = "dtype";
  const PyRef dtype_type = imported_attribute("numpy", std::span(&kName, 1));
  const PyRef dtype = PyRef::steal(dtype_type ? PyObject_GetAttrString(array, "dtype") : nullptr);
  if (!dtype) {
    clear_unless_interrupt();
    return std::nullopt;
  }
  auto record = RecordReader(dtype_type.get()).item(dtype.get(), 0);
  return record && record->bytes == bytes && !record->fields.empty() && !record->fields.front().name.empty() ? record
                                                                                                         : std::nullopt;
}

}  // namespace dlscope::embed
