#include "embed/protocols/buffer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/tensor/dlpack_import.h"
#include "core/tensor/dtype_format.h"
#include "core/tensor/item_format.h"
#include "embed/protocols/ctypes_fields.h"

namespace dlscope::embed {
namespace {

using core::Protocol;

// What an element of a buffer is that is not one native number.
core::Result<core::ItemType> item_of_view(PyObject* object, const char* format, Py_ssize_t bytes) {
  const bool has_size = bytes > 0 && bytes <= core::kMaxItemBytes;
  const bool is_byte = std::string_view(format) == "B";  // a structure of ctypes with _pack_, or a union
  if (has_size && (is_byte || hides_ctypes_fields(object))) return core::raw_item(static_cast<std::uint32_t>(bytes));
  return core::item_of_format(format, bytes);
}

// Describes it if it is one array of a known type; else adds a refusal and leaves description.desc unchanged.
bool describe_view(PyObject* object, const BufferView& view, Elements elements, Description& description) {
  const char* const format = view.format != nullptr ? view.format : "B";
  auto dtype = core::dtype_of_format(format, view.itemsize);
  if (dtype && core::is_long_double(*dtype)) dtype = core::fail(core::ErrorKind::unsupported, core::kLongDoubleRefused);
  std::shared_ptr<const core::ItemType> item_type;
  if (!dtype && elements == Elements::any) {
    if (auto item = item_of_view(object, format, view.itemsize)) {
      dtype = core::dtype_of_item(item->bytes);
      item_type = std::make_shared<const core::ItemType>(std::move(*item));
    } else if (view.itemsize > core::kMaxItemBytes) {
      dtype = std::unexpected(item.error());
    }
  }
  if (!dtype) {
    description.refuse(Protocol::buffer, kUnsupported, dtype.error().message);
    return false;
  }
  if (view.ndim < 0 || view.ndim > core::kMaxRank || (view.ndim > 0 && view.shape == nullptr)) {
    description.refuse(Protocol::buffer, kMalformed, fmt::format("a buffer of {} dimensions without a shape", view.ndim));
    return false;
  }
  if (view.suboffsets != nullptr) {
    description.refuse(Protocol::buffer, kUnsupported, "a buffer of pointers (suboffsets) is not one strided array");
    return false;
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  std::array<std::int64_t, core::kMaxRank> shape{}, strides{};
  const auto rank = static_cast<std::size_t>(view.ndim);
  std::copy_n(view.shape, rank, shape.begin());
  if (view.strides != nullptr) std::copy_n(view.strides, rank, strides.begin());
  core::ForeignArray array{.protocol = Protocol::buffer,
                           .data = reinterpret_cast<core::Address>(view.buf),
                           .dtype = *dtype,
                           .item_type = std::move(item_type),
                           .device = core::kCpuDevice,
                           .read_only = view.readonly != 0,
                           .shape = std::span(shape).first(rank),
                           .strides_bytes = {}};
  if (view.strides != nullptr) array.strides_bytes = std::span(strides).first(rank);
  core::describe_array(array, description.desc);
  return true;
}

}  // namespace

bool describe_buffer(PyObject* object, const core::MemoryReader& reader, RawCopy* raw, Elements elements,
                     Description& description) {
  BufferView view{};
  if (dlscope_get_buffer(object, &view, kBufferStridedReadOnly) == 0) {
    HeldMemory held{BufferHold(view)};
    if (raw != nullptr) copy_view(view, reader, *raw = {});
    const bool described = describe_view(object, view, elements, description);
    if (described && description.keeps()) description.memory = std::move(held);
    return described;
  }
  if (interrupt_pending()) return false;
  PyErrorText error = take_error();
  description.refuse(Protocol::buffer, std::move(error.type), std::move(error.message));
  return false;
}

}  // namespace dlscope::embed
