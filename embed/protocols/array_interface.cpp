#include "embed/protocols/array_interface.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/devices/cuda_pointer.h"
#include "core/tensor/dlpack_import.h"
#include "core/tensor/dtype_format.h"
#include "core/tensor/item_format.h"
#include "embed/protocols/numpy_record.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::DType;
using core::dtype_of_typestr;
using core::ErrorKind;
using core::item_of_typestr;
using core::Protocol;
using core::Result;

constexpr std::int32_t kCuda = 2;  // DLDeviceType

// Opened once: the program's driver stays. While there is none it is looked for again only after a time that is shorter than bringing
// one up takes. null: there is none.
const core::CudaDriver* driver_in_use() {
  constexpr std::int64_t kAgainNs = 20'000'000;
  static const core::CudaDriver* opened = nullptr;
  static std::int64_t looked_ns = -kAgainNs;
  const std::int64_t now_ns = core::monotonic_ns();
  if (opened != nullptr || now_ns - looked_ns < kAgainNs) return opened;
  looked_ns = now_ns;
  if (auto driver = core::CudaDriver::open(core::CudaInit::only_if_initialised)) opened = new core::CudaDriver(std::move(*driver));
  return opened;
}

// The device of such memory, which the interface does not name. nullopt: the driver does not know, or is not there.
std::optional<std::int32_t> ordinal_told_by_driver(Address address) {
  const core::CudaDriver* const driver = address == 0 ? nullptr : driver_in_use();
  if (driver == nullptr) return std::nullopt;
  const auto found = core::look_up_cuda_pointer(*driver, address);
  const bool is_devices = found && (found->memory == core::CudaMemory::device || found->memory == core::CudaMemory::managed);
  return is_devices && found->ordinal >= 0 ? std::optional(found->ordinal) : std::nullopt;
}

const char* attribute_of(Protocol protocol) {
  return protocol == Protocol::array_interface ? "__array_interface__" : "__cuda_array_interface__";
}

// Reads one interface dictionary. Members return Result; a Python exception becomes part of the message, except
// KeyboardInterrupt, which stays set and ends the reading.
class InterfaceReader {
 public:
  InterfaceReader(PyObject* object, PyObject* dict, Protocol protocol, LibrarySession* session, Elements elements)
      : object_(object), dict_(dict), protocol_(protocol), session_(session), elements_(elements) {}

  // memory: gets what keeps the described memory alive.
  [[nodiscard]] Result<void> describe(Description& description, HeldMemory& memory) {
    core::TensorDesc& desc = description.desc;
    if (!PyDict_Check(dict_)) return core::fail(ErrorKind::invalid, "the interface is not a dict");
    if (auto ok = check_version(); !ok) return ok;
    if (PyObject* mask = item("mask"); mask != nullptr && mask != Py_None) {
      return core::fail(ErrorKind::unsupported, "a masked array: its mask is another array");
    }
    auto dtype = read_dtype();
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
    auto data = read_data();
    if (!data) return std::unexpected(data.error());
    const bool is_cuda = protocol_ == Protocol::cuda_array_interface;
    if (is_cuda) {
      if (auto ok = read_stream(description.stream); !ok) return ok;
    }
    const auto ordinal = is_cuda ? ordinal_told_by_driver(data->address) : std::nullopt;
    description.driver_told_device = ordinal.has_value();
    core::describe_array({.protocol = protocol_,
                          .data = data->address,
                          .dtype = dtype->dtype,
                          .item_type = std::move(dtype->item),
                          .device = is_cuda ? core::DeviceId{kCuda, ordinal.value_or(0)} : core::kCpuDevice,
                          .read_only = data->read_only,
                          .is_copied = data->is_copied,
                          .shape = *shape,
                          .strides_bytes = *strides_bytes},
                         desc);
    if (auto ok = check_bytes(desc, *data); !ok) return ok;
    memory = std::move(data->memory);
    return {};
  }

 private:
  struct Data {
    Address address = 0;
    bool read_only = false;
    bool is_copied = false;
    HeldMemory memory;
    core::ByteRange bytes = {};  // with is_buffer: all of the buffer
    bool is_buffer = false;  // false: 'data' is an address, and how much memory lies there is not known
  };

  // An address may be of anything; a buffer says how large it is.
  [[nodiscard]] static Result<void> check_bytes(const core::TensorDesc& desc, const Data& data) {
    const core::ByteRange needed = desc.extent, bytes = data.bytes;
    if (!data.is_buffer || !desc.has_layout || needed.empty()) return {};
    if (needed.begin >= bytes.begin && needed.end <= bytes.end) return {};
    const auto from_start = [&](Address at) { return static_cast<std::int64_t>(at - bytes.begin); };
    return core::fail(ErrorKind::invalid,
                      fmt::format("'data' has {} bytes, but shape, strides and offset reach from byte {} to {}", bytes.size(),
                                  from_start(needed.begin), from_start(needed.end)));
  }

  [[nodiscard]] PyObject* item(const char* key) const { return PyDict_GetItemString(dict_, key); }  // borrowed; does not raise

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

  [[nodiscard]] Result<void> read_stream(std::optional<std::int64_t>& stream) const {
    PyObject* const given = item("stream");
    if (given == nullptr || given == Py_None) return {};
    const auto number = integer(given, "stream");
    if (!number) return std::unexpected(number.error());
    stream = *number;
    return {};
  }

  struct ElementType {
    DType dtype;
    std::shared_ptr<const core::ItemType> item = nullptr;
  };

  // ml_dtypes arrays say raw bytes; float8_e5m2 says a float of one byte.
  [[nodiscard]] static bool may_be_of_ml_dtypes(std::string_view typestr) {
    return typestr.size() > 1 && (typestr[1] == 'V' || typestr.substr(1) == "f1");
  }

  [[nodiscard]] Result<ElementType> read_dtype() const {
    PyObject* const text = item("typestr");
    if (text == nullptr || !PyUnicode_Check(text)) return core::fail(ErrorKind::invalid, "'typestr' is not a str");
    const std::string typestr = text_of(text);
    std::optional<DType> elements;
    if (may_be_of_ml_dtypes(typestr) && session_ != nullptr && protocol_ == Protocol::array_interface) {
      elements = session_->elements_behind(object_);
      if (PyErr_Occurred() != nullptr) return interrupted();
      const auto raw = item_of_typestr(typestr);  // `dtype` of a subclass may be anything
      if (elements && raw && elements->item_bits() == raw->bytes * 8) return ElementType{*elements};
      if (elements && raw && elements->item_bits() < 8 && raw->bytes == 1) return item_type(core::number_item(*elements, false));
    }
    auto number = dtype_of_typestr(typestr);
    if (number && core::is_long_double(*number)) number = core::fail(ErrorKind::unsupported, core::kLongDoubleRefused);
    if (number) return ElementType{*number};
    if (elements_ == Elements::numbers || number.error().kind != ErrorKind::unsupported) {
      if (typestr != "|O") return std::unexpected(number.error());
    }
    auto known = item_of_typestr(typestr);
    if (!known) return std::unexpected(known.error().kind == ErrorKind::unsupported ? known.error() : number.error());
    PyObject* const descr = item("descr");
    if (typestr[1] == 'V' && descr != nullptr) {
      std::size_t left = core::kMaxItemBytes;
      if (const auto members = members_of(descr, left)) {
        if (auto record = core::item_of_members(*members, known->bytes)) return item_type(std::move(*record));
      }
      // NumPy's `descr` names no field where some overlap or are out of order.
      if (session_ != nullptr && protocol_ == Protocol::array_interface) {
        if (auto record = record_of_numpy(object_, known->bytes)) return item_type(std::move(*record));
        if (PyErr_Occurred() != nullptr) return interrupted();
      }
    }
    return item_type(std::move(*known));
  }

  [[nodiscard]] static ElementType item_type(core::ItemType item) {
    const DType dtype = core::dtype_of_item(item.bytes);
    return {dtype, std::make_shared<const core::ItemType>(std::move(item))};
  }

  // [("a", "<i4"), ("", "|V4"), ("p", [("x", "<f4")], (2, 3))]: entries named "" are gaps. nullopt: another form, so the element
  // is plain bytes. Only str, int, list and tuple are read: no exporter code runs. left: how many more entries are read, because
  // a list may occur in several entries.
  [[nodiscard]] static std::optional<std::vector<core::DescribedMember>> members_of(PyObject* descr, std::size_t& left,
                                                                                    int depth = 0) {
    constexpr int kDeepest = 16;
    if (!PyList_CheckExact(descr) || depth > kDeepest) return std::nullopt;
    std::vector<core::DescribedMember> members;
    for (Py_ssize_t i = 0; i < PyList_Size(descr); ++i) {
      if (left == 0) return std::nullopt;
      --left;
      auto member = member_of(PyList_GetItem(descr, i), left, depth);
      if (!member) return std::nullopt;
      members.push_back(std::move(*member));
    }
    return members;
  }

  [[nodiscard]] static std::optional<core::DescribedMember> member_of(PyObject* tuple, std::size_t& left, int depth) {
    if (!PyTuple_CheckExact(tuple) || PyTuple_Size(tuple) < 2) return std::nullopt;
    core::DescribedMember member;
    PyObject* name = PyTuple_GetItem(tuple, 0);
    if (PyTuple_CheckExact(name) && PyTuple_Size(name) == 2) name = PyTuple_GetItem(name, 1);  // (title, name)
    member.name = text_of(name);
    PyObject* const type = PyTuple_GetItem(tuple, 1);
    if (PyUnicode_CheckExact(type)) {
      member.typestr = text_of(type);
      if (member.typestr.empty()) return std::nullopt;
    } else {
      auto members = members_of(type, left, depth + 1);
      if (!members) return std::nullopt;
      member.members = std::move(*members);
    }
    PyObject* const shape = PyTuple_Size(tuple) > 2 ? PyTuple_GetItem(tuple, 2) : nullptr;
    const Py_ssize_t rank = shape != nullptr && PyTuple_CheckExact(shape) ? PyTuple_Size(shape) : 0;
    for (Py_ssize_t d = 0; d < rank; ++d) {
      PyObject* const size = PyTuple_GetItem(shape, d);
      const long n = PyLong_CheckExact(size) ? PyLong_AsLong(size) : -1;
      if (n < 0 || n > static_cast<long>(core::kMaxItemBytes)) {
        PyErr_Clear();  // an int of more than 64 bits
        return std::nullopt;
      }
      member.shape.push_back(static_cast<std::uint32_t>(n));
    }
    return member;
  }

  [[nodiscard]] Result<std::vector<std::int64_t>> read_integers(const char* key) const {
    PyObject* const tuple = item(key);
    if (tuple == nullptr || !PyTuple_Check(tuple)) return core::fail(ErrorKind::invalid, fmt::format("'{}' is not a tuple", key));
    const PyRef alive = PyRef::share(tuple);  // an element's __index__ may change the dict
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
      return Data{.address = number,
                  .read_only = read_only > 0,
                  .memory = HeldMemory(ObjectHold{PyRef::share(object_).release()})};
    }
    if (protocol_ == Protocol::cuda_array_interface) return core::fail(ErrorKind::invalid, "'data' is not a pair");
    if (data == nullptr || data == Py_None) return buffer_data(object_);
    const bool ends_with_the_answer = Py_REFCNT(data) == 1 && Py_REFCNT(dict_) == 1;
    const PyRef alive = PyRef::share(data);
    auto found = buffer_data(data);
    if (found && ends_with_the_answer) found->is_copied = is_made_for_us(data, found->address);
    if (interrupt_pending()) return interrupted();
    return found;
  }

  // Whether `data`, which nobody has but the answer it came in, has memory of its own, a copy (Pillow's images do that), and is not
  // a view of memory that lives longer. The first `data` is held, so two copies cannot be at the same address.
  [[nodiscard]] bool is_made_for_us(PyObject* data, Address address) const {
    if (PyBytes_CheckExact(data) || PyByteArray_CheckExact(data)) return true;
    const PyRef again = PyRef::steal(dlscope_get_attribute(object_, attribute_of(protocol_)));
    PyObject* const other = again && PyDict_Check(again.get()) ? PyDict_GetItemString(again.get(), "data") : nullptr;
    const auto found = other != nullptr ? InterfaceReader(object_, again.get(), protocol_, session_, elements_).buffer_data(other)
                                        : Result<Data>(core::fail(ErrorKind::invalid, "no data"));
    clear_unless_interrupt();
    return !found || found->address != address;
  }

  // 'data' may be an object with the buffer protocol, or missing when the exporter itself has it; then 'offset' applies.
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
    const auto begin = reinterpret_cast<Address>(view.buf);
    return Data{begin + static_cast<Address>(offset), view.readonly != 0, false, HeldMemory(BufferHold(view)),
                {begin, begin + static_cast<Address>(view.len)}, true};
  }

  PyObject* object_;
  PyObject* dict_;
  Protocol protocol_;
  LibrarySession* session_;
  Elements elements_;
};

thread_local PyObject* looked_at = nullptr;  // by OnlyLooking

bool describe_interface(PyObject* object, Protocol protocol, LibrarySession* session, Elements elements,
                        Description& description) {
  std::optional<OnlyLooking> looking;
  if (!description.keeps()) looking.emplace(object);
  const PyRef interface = PyRef::steal(dlscope_get_attribute(object, attribute_of(protocol)));
  if (!interface) {
    if (interrupt_pending()) return false;
    PyErrorText error = take_error();
    description.refuse(protocol, std::move(error.type), std::move(error.message));
    return false;
  }
  HeldMemory memory;
  const auto described = InterfaceReader(object, interface.get(), protocol, session, elements).describe(description, memory);
  if (described && description.keeps()) description.memory = std::move(memory);
  if (described) return true;
  if (interrupt_pending()) return false;
  description.refuse(protocol, described.error().kind == ErrorKind::unsupported ? kUnsupported : kMalformed,
                     described.error().message);
  return false;
}

}  // namespace

OnlyLooking::OnlyLooking(PyObject* object) : before_(std::exchange(looked_at, object)) {}
OnlyLooking::~OnlyLooking() { looked_at = before_; }

bool is_only_looked_at(PyObject* object) { return looked_at == object; }

bool describe_array_interface(PyObject* object, LibrarySession* session, Elements elements, Description& description) {
  return describe_interface(object, Protocol::array_interface, session, elements, description);
}

bool describe_cuda_array_interface(PyObject* object, Elements elements, Description& description) {
  return describe_interface(object, Protocol::cuda_array_interface, nullptr, elements, description);
}

}  // namespace dlscope::embed
