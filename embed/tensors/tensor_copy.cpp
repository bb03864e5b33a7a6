#include "embed/tensors/tensor_copy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "core/base/clock.h"
#include "core/memory/file_mapping.h"
#include "core/transfer/convert.h"
#include "core/transfer/strided_copy.h"
#include "embed/runtime.h"
#include "embed/tensors/device_memory.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

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

void enter_in_ledger(const HeldTensor& from, const HeldTensor& to, std::uint64_t ns, const CopyRequest& wanted) {
  Runtime::get().note_copy({.from = fmt::format("{} on {}", from.source, core::device_name(from.device)),
                            .to = fmt::format("dlscope.Tensor on {}", core::device_name(to.device)),
                            .bytes = to.nbytes(),
                            .ns = ns,
                            .why = std::string(wanted.why)});
}

core::Result<void> convert_bytes(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  if (from.subbyte_padded) return core::fail(core::ErrorKind::unsupported, "padded sub-byte elements are not converted");
  const core::CopySource source{reinterpret_cast<const std::byte*>(from.data), from.layout(), from.dtype};
  const auto done = core::copy_in_parts(source, {bytes, to.layout(), to.dtype}, [](auto, auto) { return true; });
  if (!done) return std::unexpected(done.error());
  return {};
}

bool needs_driver(const HeldTensor& from, const HeldTensor& to) {
  return is_on_cuda_device(from.device) || is_on_cuda_device(to.device);
}

// A conversion is made on the host: copied there first, and sent on afterwards.
core::Result<void> fill_by_driver(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  if (from.dtype == to.dtype) return copy_by_driver(from, to);
  core::Result<NewTensor> brought, converted;
  const HeldTensor* source = &from;
  if (is_on_cuda_device(from.device)) {
    brought =
        allocate_tensor(from.shape(), dense_strides(from, CopyOrder::keep, from.item_bits), from.dtype, from.subbyte_padded);
    if (!brought) return std::unexpected(brought.error());
    if (auto done = copy_by_driver(from, *brought->tensor); !done) return done;
    source = brought->tensor.get();
  }
  if (bytes != nullptr) return convert_bytes(*source, to, bytes);
  converted = allocate_tensor(to.shape(), to.stride_bits(), to.dtype, to.subbyte_padded);
  if (!converted) return std::unexpected(converted.error());
  if (auto done = convert_bytes(*source, *converted->tensor, converted->bytes); !done) return done;
  return copy_by_driver(*converted->tensor, to);
}

core::Result<void> fill(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  if (needs_driver(from, to)) return fill_by_driver(from, to, bytes);
  if (from.dtype != to.dtype) return convert_bytes(from, to, bytes);
  (void)core::copy_strided(reinterpret_cast<const std::byte*>(from.data), from.layout(), bytes, to.layout());
  return {};
}

core::Result<void> fill_without_gil(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  constexpr std::uint64_t kWorthReleasing = 64 << 10;
  if (from.nbytes() < kWorthReleasing && !needs_driver(from, to)) return fill(from, to, bytes);
  const WithoutGil released;
  return fill(from, to, bytes);
}

struct Filled {
  bool complete = true;
  bool equal = true;
  std::uint64_t ns = 0;
};

// Copies part by part: for progress, for comparison, and to be stopped.
core::Result<Filled> fill_in_parts(const HeldTensor& from, const HeldTensor& to, std::byte* bytes, const CopyRequest& wanted) {
  if (from.dtype != to.dtype && from.subbyte_padded)
    return core::fail(core::ErrorKind::unsupported, "padded sub-byte elements are not converted");
  const core::CopySource source{reinterpret_cast<const std::byte*>(from.data), from.layout(), from.dtype};
  const core::CopyTarget target{bytes, to.layout(), to.dtype};
  // Copying and comparing are one task; comparing is its second half.
  const std::uint64_t passes = wanted.compare ? 2 : 1;
  std::uint64_t pass = 0;
  const core::CopyProgress progress = [&](std::uint64_t done, std::uint64_t total) {
    return !wanted.progress || wanted.progress(pass * total + done, passes * total);
  };
  Filled filled;
  const std::int64_t began_ns = core::monotonic_ns();
  const auto copied = core::copy_in_parts(source, target, progress);
  filled.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns);
  if (!copied) return std::unexpected(copied.error());
  filled.complete = *copied;
  if (!filled.complete || !wanted.compare) return filled;
  pass = 1;
  const auto same = core::is_copy_of(source, target, progress);
  if (!same) return std::unexpected(same.error());
  filled.complete = same->has_value();
  filled.equal = same->value_or(true);
  return filled;
}

// A large copy is made part by part, on several threads; a signal handler that raises ends it (its exception is pending then).
core::Result<Filled> fill_as_requested(const HeldTensor& from, const HeldTensor& to, std::byte* bytes,
                                       const CopyRequest& wanted) {
  constexpr std::uint64_t kWorthParts = std::uint64_t{4} << 20;
  if ((wanted.progress || wanted.compare) && !needs_driver(from, to)) {
    const WithoutGil released;
    return fill_in_parts(from, to, bytes, wanted);
  }
  if (to.nbytes() >= kWorthParts && !needs_driver(from, to)) {
    InterruptibleWithoutGil released;
    CopyRequest in_parts = wanted;
    in_parts.progress = [&](std::uint64_t done, std::uint64_t total) { return done == total || released.goes_on(); };
    return fill_in_parts(from, to, bytes, in_parts);
  }
  const std::int64_t began_ns = core::monotonic_ns();
  const auto filled = fill_without_gil(from, to, bytes);
  if (!filled) return std::unexpected(filled.error());
  return Filled{.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns)};
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
  const auto filled = fill_as_requested(from, *made.tensor, made.bytes, wanted);
  if (!filled) {
    // Of a copy by the driver the message is the driver's.
    PyObject* const type = needs_driver(from, *made.tensor) ? PyExc_BufferError : type_of(filled.error());
    PyErr_SetString(type, filled.error().message.c_str());
    return nullptr;
  }
  if (!filled->complete) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return nullptr;
  }
  if (wanted.ns != nullptr) *wanted.ns = filled->ns;
  enter_in_ledger(from, *made.tensor, filled->ns, wanted);
  if (!filled->equal) {
    PyErr_SetString(PyExc_RuntimeError, "the copy is not what the source holds now: something wrote into the source meanwhile");
    return nullptr;
  }
  return std::move(made.tensor);
}

bool is_c_contiguous(const HeldTensor& tensor) {
  return tensor.bounds.elements == 0 || !core::axis_breaking_c_order(tensor.layout());
}

}  // namespace dlscope::embed
