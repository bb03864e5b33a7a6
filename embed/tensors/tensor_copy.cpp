#include "embed/tensors/tensor_copy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "core/memory/file_mapping.h"
#include "core/transfer/convert.h"
#include "embed/runtime.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/fill_copy.h"
#include "embed/timed_reading.h"

namespace dlscope::embed {
namespace {

constexpr std::uint64_t kFewPages = 256;

// Whether every page of the range is readable: a producer may have given a wrong address, or a mapped file may have become shorter.
bool is_readable(core::ByteRange range) {
  if (range.empty()) return true;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (range.size() <= kFewPages * page && Runtime::get().reader_problem().empty()) {
    std::vector<core::Address> pages{range.begin};
    for (core::Address at = (range.begin / page + 1) * page; at < range.end; at += page) pages.push_back(at);
    std::vector<std::uint8_t> readable(pages.size());
    Runtime::get().reader().probe(pages, readable);
    return std::ranges::find(readable, 0) == readable.end();
  }
  const auto map = core::AddressMap::load(0);
  return map && map->readable(range) && files_reach_end(*map, range);
}

}  // namespace

bool files_reach_end(const core::AddressMap& map, core::ByteRange range) {
  const core::MemoryReader& own = Runtime::get().reader();
  return !Runtime::get().reader_problem().empty() || core::files_reach_end(own, map, range);
}

bool is_reachable(const HeldTensor& from, const CopyRequest& wanted) {
  const bool stays_on_devices = wanted.device && is_on_cuda_device(*wanted.device);
  if (is_on_cuda_device(from.device) && (wanted.may_leave_device || stays_on_devices)) return true;
  if (!from.in_host_memory()) {
    PyErr_SetString(PyExc_BufferError,
                    fmt::format("the memory is on {}, where dlscope cannot read it; its library can move it: "
                                "from_dlpack(x, device='cpu')",
                                core::device_name(from.device))
                        .c_str());
    return false;
  }
  std::string why = why_pages_do_not_come(from.extent, wanted.keeps_gil);
  if (why.empty() && is_readable(from.extent)) return true;
  if (why.empty()) why = fmt::format("its producer says it is on {}", core::device_name(from.device));
  PyErr_SetString(PyExc_BufferError, fmt::format("the memory at {:#x} to {:#x} cannot be read: {}", from.extent.begin,
                                                 from.extent.end, why)
                                         .c_str());
  return false;
}

std::vector<std::int64_t> dense_strides(const HeldTensor& like, CopyOrder order, std::uint32_t item_bits) {
  const auto shape = like.shape();
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (order == CopyOrder::keep) {
    std::ranges::stable_sort(axes, std::ranges::greater{}, [&](std::size_t d) {
      const std::int64_t stride = like.stride_bits()[d];
      return stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
    });
  }
  std::vector<std::int64_t> strides(shape.size());
  std::vector<std::int64_t> sorted, dense(shape.size());
  for (const std::size_t d : axes) sorted.push_back(shape[d]);
  if (!core::c_order_strides(sorted, item_bits, dense)) dense.assign(shape.size(), core::kCappedStride);
  for (std::size_t i = 0; i < axes.size(); ++i) strides[axes[i]] = dense[i];
  return strides;
}

namespace {

void enter_in_ledger(const HeldTensor& from, const HeldTensor& to, const Filled& filled, const CopyRequest& wanted) {
  Runtime::get().note_copy({.from = fmt::format("{} on {}", from.source, core::device_name(from.device)),
                            .to = fmt::format("dlscope.Tensor on {}", core::device_name(to.device)),
                            .bytes = to.nbytes(),
                            .ns = filled.ns,
                            .why = std::string(wanted.why),
                            .path = filled.path,
                            .plain_ns = filled.plain_ns});
}

PyObject* type_of(const core::Error& error) {
  return error.kind == core::ErrorKind::environment ? PyExc_MemoryError : PyExc_TypeError;
}

}  // namespace

std::optional<NewTensor> target_for_copy(const HeldTensor& from, const CopyRequest& wanted) {
  if (!is_reachable(from, wanted)) return std::nullopt;
  const core::DType dtype = wanted.dtype.value_or(from.dtype);
  if (const std::string why = dtype == from.dtype ? "" : core::why_not_convertible(from.dtype, dtype); !why.empty()) {
    PyErr_SetString(PyExc_TypeError, fmt::format("{}; ask for another dtype, or for none to keep x's", why).c_str());
    return std::nullopt;
  }
  const std::uint32_t item_bits = dtype == from.dtype ? from.item_bits : dtype.item_bits();
  const core::DeviceId device = wanted.device.value_or(core::kCpuDevice);
  auto made = allocate_tensor(from.shape(), dense_strides(from, wanted.order, item_bits), dtype,
                              dtype == from.dtype && from.subbyte_padded, device);
  if (made) return std::move(*made);
  const core::Error& error = made.error();
  if (error.kind == core::ErrorKind::environment || device == core::kCpuDevice) {
    PyErr_SetString(type_of(error), error.message.c_str());
  } else {
    PyErr_SetString(PyExc_ValueError,
                    fmt::format("device '{}' is not available from {}: {}{}{}. Supported here: '{}', where the tensor is",
                                core::device_name(device), from.source, wanted.refusal,
                                wanted.refusal.empty() ? "" : "; nor by dlscope: ", error.message,
                                core::device_name(from.device))
                        .c_str());
  }
  return std::nullopt;
}

std::shared_ptr<HeldTensor> copy_of(const HeldTensor& from, const CopyRequest& wanted) {
  auto made = target_for_copy(from, wanted);
  return made ? copy_to_target(from, std::move(*made), wanted) : nullptr;
}

std::shared_ptr<HeldTensor> copy_to_target(const HeldTensor& from, NewTensor made, const CopyRequest& wanted) {
  const auto filled = fill_copy(from, *made.tensor, made.bytes, wanted);
  if (!filled) {
    // Of a copy by the driver the message is the driver's.
    const bool by_driver = is_on_cuda_device(from.device) || is_on_cuda_device(made.tensor->device);
    PyObject* const type = by_driver ? PyExc_BufferError : type_of(filled.error());
    PyErr_SetString(type, filled.error().message.c_str());
    return nullptr;
  }
  if (!filled->complete) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return nullptr;
  }
  if (wanted.filled != nullptr) *wanted.filled = *filled;
  enter_in_ledger(from, *made.tensor, *filled, wanted);
  if (!filled->equal) {
    PyErr_SetString(PyExc_RuntimeError,
                    fmt::format("the copy is not what the source holds now: {}something wrote into the source meanwhile",
                                wanted.original != nullptr ? "its library brought other values to the host, or " : "")
                        .c_str());
    return nullptr;
  }
  return std::move(made.tensor);
}

bool is_c_contiguous(const HeldTensor& tensor) {
  return tensor.bounds.elements == 0 || !core::axis_breaking_c_order(tensor.layout());
}

}  // namespace dlscope::embed
