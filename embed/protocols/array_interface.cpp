#include "embed/protocols/array_interface.h"

#include <fmt/core.h>

#include <vector>

#include "core/tensor/dlpack_import.h"
#include "embed/protocols/format.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::DType;
using core::ErrorKind;
using core::Protocol;
using core::Result;

constexpr core::DeviceId kCudaDevice{2, 0};

// One interface dictionary being read. Members return Result; an exception Python set on the way is part of the words, unless it
// is KeyboardInterrupt: that stays set and ends the reading.
class InterfaceReader {
 public:
  InterfaceReader(PyObject* object, PyObject* dict, Protocol protocol, LibrarySession* session)
      : object_(object), dict_(dict), protocol_(protocol), session_(session) {}

  [[nodiscard]] Result<void> describe(core::TensorDesc& desc) {
    if (!PyDict_Check(dict_)) return core::fail(ErrorKind::invalid, "the interface is not a dict");
    if (auto ok = check_version(); !ok) return ok;
    if (PyObject* mask = item("mask"); mask != nullptr && mask != Py_None) {
      return core::fail(ErrorKind::unsupported, "a masked array: its mask is another array");
    }
    const auto dtype = read_dtype();
    if (!dtype) return std::unexpected(dtype.error());
    auto shape = read_integers("shape");
    if (!shape) return std::unexpected(shape.error());
    PyObject* const strides = item("strides");
    const bool has_strides = strides != nullptr && strides != Py_None;
    auto strides_bytes = has_strides ? read_integers("strides") : Result<std::vector<std::int64_t>>{};
    if (!strides_bytes) return std::unexpected(strides_bytes.error());
    if (has_strides && strides_bytes->size() != shape->size()) {
      return core::fail(ErrorKind::invalid, fmt::format("{} strides for {} dimensions", strides_bytes->size(), shape->size()));
    }
    const auto data = read_data();
    if (!data) return std::unexpected(data.error());
    core::describe_array({.protocol = protocol_,
                          .data = data->address,
                          .dtype = *dtype,
                          .device = protocol_ == Protocol::cuda_array_interface ? kCudaDevice : core::kCpuDevice,
                          .read_only = data->read_only,
                          .shape = *shape,
                          .strides_bytes = *strides_bytes},
                         desc);
    return {};
  }

 private:
  struct Data {
    Address address = 0;
    bool read_only = false;
  };

  [[nodiscard]] PyObject* item(const char* key) const { return PyDict_GetItemString(dict_, key); }  // borrowed; never raises

  [[nodiscard]] static std::unexpected<core::Error> interrupted() { return core::fail(ErrorKind::cancelled, "interrupted"); }

  [[nodiscard]] Result<std::int64_t> integer(PyObject* value, std::string_view what) const {
    const PyRef number = PyRef::steal(value != nullptr ? PyNumber_Index(value) : nullptr);
    const long long wide = number ? PyLong_AsLongLong(number.get()) : 0;
    if (!number || PyErr_Occurred() != nullptr) {
      clear_unless_interrupt();
      return core::fail(ErrorKind::invalid, fmt::format("'{}' is not made of integers of 64 bits", what));
    }
    return wide;
  }

  [[nodiscard]] Result<void> check_version() const {
    const auto version = integer(item("version"), "version");
    if (!version) return std::unexpected(version.error());
    const std::int64_t oldest = protocol_ == Protocol::array_interface ? 3 : 2;
    if (*version >= oldest) return {};
    return core::fail(ErrorKind::unsupported, fmt::format("version {} of the interface, which is too old", *version));
  }

  [[nodiscard]] Result<DType> read_dtype() const {
    PyObject* const text = item("typestr");
    if (text == nullptr || !PyUnicode_Check(text)) return core::fail(ErrorKind::invalid, "'typestr' is not a str");
    const std::string typestr = text_of(text);
    if (typestr.size() > 1 && typestr[1] == 'V' && session_ != nullptr && protocol_ == Protocol::array_interface) {
      if (const auto known = session_->dtype_behind(object_)) return *known;
      if (PyErr_Occurred() != nullptr) return interrupted();
    }
    return dtype_of_typestr(typestr);
  }

  [[nodiscard]] Result<std::vector<std::int64_t>> read_integers(const char* key) const {
    PyObject* const tuple = item(key);
    if (tuple == nullptr || !PyTuple_Check(tuple)) return core::fail(ErrorKind::invalid, fmt::format("'{}' is not a tuple", key));
    const PyRef alive = PyRef::share(tuple);  // __index__ of an element may change the dict
    const Py_ssize_t count = PyTuple_Size(tuple);
    if (count > core::kMaxRank) return core::fail(ErrorKind::invalid, fmt::format("{} dimensions", count));
    std::vector<std::int64_t> numbers;
    for (Py_ssize_t i = 0; i < count; ++i) {
      const auto number = integer(PyTuple_GetItem(tuple, i), key);
      if (!number) return std::unexpected(number.error());
      numbers.push_back(*number);
    }
    return numbers;
  }

  [[nodiscard]] Result<Data> read_data() const {
    PyObject* const data = item("data");
    if (data != nullptr && PyTuple_Check(data) && PyTuple_Size(data) == 2) {
      const PyRef alive = PyRef::share(data);
      const PyRef address = PyRef::steal(PyNumber_Index(PyTuple_GetItem(data, 0)));
      const unsigned long long number = address ? PyLong_AsUnsignedLongLong(address.get()) : 0;
      const int read_only = PyErr_Occurred() == nullptr ? PyObject_IsTrue(PyTuple_GetItem(data, 1)) : -1;
      if (PyErr_Occurred() != nullptr) {
        clear_unless_interrupt();
        return core::fail(ErrorKind::invalid, "'data' holds no address");
      }
      return Data{number, read_only > 0};
    }
    if (protocol_ == Protocol::cuda_array_interface) return core::fail(ErrorKind::invalid, "'data' is not a pair");
    return buffer_data(data == nullptr || data == Py_None ? object_ : data);
  }

  // 'data' may be an object with the buffer protocol, or be left out when the exporter has it itself; 'offset' counts then.
  [[nodiscard]] Result<Data> buffer_data(PyObject* exporter) const {
    std::int64_t offset = 0;
    if (PyObject* given = item("offset"); given != nullptr && given != Py_None) {
      const auto number = integer(given, "offset");
      if (!number) return std::unexpected(number.error());
      offset = *number;
    }
    BufferView view{};
    if (dlscope_get_buffer(exporter, &view, 0) != 0) {
      if (interrupt_pending()) return interrupted();
      const PyErrorText error = take_error();
      return core::fail(ErrorKind::invalid, fmt::format("'data' gives no memory: {}: {}", error.type, error.message));
    }
    const Data data{reinterpret_cast<Address>(view.buf) + static_cast<Address>(offset), view.readonly != 0};
    const PendingError pending;
    dlscope_release_buffer(&view);
    return data;
  }

  PyObject* object_;
  PyObject* dict_;
  Protocol protocol_;
  LibrarySession* session_;
};

bool describe_interface(PyObject* object, const char* attribute, Protocol protocol, LibrarySession* session, Look& look) {
  const PyRef interface = PyRef::steal(PyObject_GetAttrString(object, attribute));
  if (!interface) {
    if (interrupt_pending()) return false;
    PyErrorText error = take_error();
    look.refuse(protocol, std::move(error.type), std::move(error.message));
    return false;
  }
  const auto described = InterfaceReader(object, interface.get(), protocol, session).describe(look.desc);
  if (described) return true;
  if (interrupt_pending()) return false;
  look.refuse(protocol, described.error().kind == ErrorKind::unsupported ? kUnsupported : kMalformed, described.error().message);
  return false;
}

}  // namespace

bool describe_array_interface(PyObject* object, LibrarySession* session, Look& look) {
  return describe_interface(object, "__array_interface__", Protocol::array_interface, session, look);
}

bool describe_cuda_array_interface(PyObject* object, Look& look) {
  return describe_interface(object, "__cuda_array_interface__", Protocol::cuda_array_interface, nullptr, look);
}

}  // namespace dlscope::embed
