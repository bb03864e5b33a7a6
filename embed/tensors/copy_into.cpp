#include "embed/tensors/copy_into.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/memory/change_bytes.h"
#include "core/memory/file_mapping.h"
#include "core/sharing/overlap.h"
#include "core/transfer/convert.h"
#include "embed/runtime.h"
#include "embed/tensors/copy_rates.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/fill_copy.h"
#include "embed/timed_reading.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

constexpr std::string_view kWhy = "dlscope.copy()";

// A reason to write nothing; type null: none.
struct Refusal {
  PyObject* type = nullptr;
  std::string message;
  explicit operator bool() const { return type != nullptr; }
};

std::string shape_text(const HeldTensor& tensor) {
  const auto shape = tensor.shape();
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string elements_text(std::uint64_t elements) { return fmt::format("{} element{}", elements, elements == 1 ? "" : "s"); }

core::MemoryView view_of(const HeldTensor& tensor) { return {tensor.address(), tensor.layout(), tensor.extent}; }

// Whether the elements lie where these strides say; strides of axes of size 1 are ignored.
bool has_strides(const HeldTensor& tensor, std::span<const std::int64_t> stride_bits) {
  for (std::size_t d = 0; d < stride_bits.size(); ++d) {
    if (tensor.shape()[d] > 1 && tensor.stride_bits()[d] != stride_bits[d]) return false;
  }
  return true;
}

Refusal not_writable(const HeldTensor& to) {
  if (!to.in_host_memory()) {
    return {PyExc_BufferError,
            fmt::format("out is on {}, and dlscope writes into the host's memory only; copy(x, device=...) makes "
                        "a new tensor on a device",
                        core::device_name(to.device))};
  }
  if (to.writability == Writability::immutable) {
    return {PyExc_BufferError, fmt::format("out is immutable by contract: its library relies on a {} never being written to; "
                                           "give a tensor that may be written, or omit out= for a new one",
                                           to.source)};
  }
  if (!to.may_write()) {
    return {PyExc_BufferError,
            fmt::format("out is read-only: {} exports it so; give a tensor that may be written, or omit out= for a new one",
                        to.source)};
  }
  return {};
}

Refusal contradicted(const HeldTensor& to, const OutRequest& wanted) {
  if (wanted.device && *wanted.device != to.device) {
    return {PyExc_ValueError, fmt::format("device is '{}', but out is on '{}': omit device=", core::device_name(*wanted.device),
                                          core::device_name(to.device))};
  }
  if (wanted.dtype && *wanted.dtype != to.dtype) {
    return {PyExc_ValueError,
            fmt::format("dtype is {}, but out is {}: omit dtype=, and the elements are converted to what out is",
                        core::dtype_name(*wanted.dtype), core::dtype_name(to.dtype))};
  }
  return {};
}

Refusal other_elements(const HeldTensor& from, const HeldTensor& to) {
  if (!std::ranges::equal(from.shape(), to.shape())) {
    return {
        PyExc_ValueError,
        fmt::format("{}: x has shape {}, {}; out has shape {}, {}; nothing was written. Give an out of x's shape",
                    to.bounds.elements < from.bounds.elements ? "destination too small" : "out has another shape than x",
                    shape_text(from), elements_text(from.bounds.elements), shape_text(to), elements_text(to.bounds.elements))};
  }
  if (from.dtype != to.dtype) {
    if (std::string why = core::why_not_convertible(from.dtype, to.dtype); !why.empty())
      return {PyExc_TypeError, fmt::format("{}; nothing was written. Give an out of x's dtype", why)};
    if (from.subbyte_padded || to.subbyte_padded)
      return {PyExc_TypeError, "sub-byte elements that have a byte each are not converted; nothing was written"};
  } else if (from.item_bits != to.item_bits) {
    return {PyExc_TypeError, fmt::format("both are {}, but an element takes {} bits of x and {} of out; nothing was written",
                                         core::dtype_name(to.dtype), from.item_bits, to.item_bits)};
  }
  return {};
}

// Both have the same shape.
Refusal other_order(const HeldTensor& from, const HeldTensor& to, const OutRequest& wanted) {
  if (wanted.order && to.bounds.elements > 0 && !has_strides(to, dense_strides(from, *wanted.order, to.item_bits))) {
    return {PyExc_ValueError,
            fmt::format("order is '{}', but out has another order: omit order=, and the elements are written where out has them",
                        *wanted.order == CopyOrder::c ? 'C' : 'K')};
  }
  return {};
}

// Elements of the destination must not share bits: which value would remain is undefined.
Refusal repeats_elements(const HeldTensor& to) {
  std::optional<bool> repeats = core::quick_self_overlap(to.layout());
  if (!repeats) {
    const WithoutGil released;
    repeats = core::self_overlaps(to.layout());
  }
  if (repeats == false) return {};
  return {PyExc_ValueError,
          fmt::format("{} of out, which has shape {}, share a byte{}; nothing was written. Give an out whose elements "
                      "lie apart",
                      repeats ? "two elements" : "it could not be determined whether two elements", shape_text(to),
                      repeats ? " (a broadcast, or windows that overlap)" : "")};
}

// "": they show no pages of one file.
std::string why_same_pages(core::ByteRange a, core::ByteRange b) {
  const auto map = core::AddressMap::load(0);
  if (!map)
    return fmt::format("whether x and out are mapped from the same part of one file is not known: {}", map.error().message);
  const auto in_a = core::file_mappings_in(*map, a), in_b = core::file_mappings_in(*map, b);
  const bool same = std::ranges::any_of(in_a, [&](const core::FileMapping& one) {
    return std::ranges::any_of(in_b, [&](const core::FileMapping& other) {
      return one.shared && other.shared && core::show_same_pages(one, other);
    });
  });
  return same ? "x and out are mapped from the same part of one file: they are the same memory at two addresses" : "";
}

// The memories overlap: bytes would be read after they were overwritten.
Refusal common_memory(const HeldTensor& from, const HeldTensor& to) {
  if (!from.in_host_memory()) return {};
  core::Overlap both;
  {
    const WithoutGil released;
    both = core::overlap(view_of(from), view_of(to));
  }
  std::string found;
  if (both.relation == core::Relation::unknown)
    found = "whether x and out have bytes in common could not be determined";
  else if (*both.shared_bytes > 0)
    found = fmt::format("x and out have {} bytes in common, the first at {:#x}", *both.shared_bytes, both.witness->address);
  else if (core::may_be_file_page(from.extent.begin) && core::may_be_file_page(to.extent.begin))
    found = why_same_pages(from.extent, to.extent);
  if (found.empty()) return {};
  return {PyExc_ValueError,
          fmt::format("{}: elements {} be read after they were overwritten; nothing was written. Copy through a new tensor: "
                      "copy(copy(x), out=...)",
                      found, both.relation == core::Relation::unknown ? "might" : "would")};
}

// Fast check first: reading the address map takes longer than a small copy.
Refusal not_mapped(const HeldTensor& to) {
  if (std::string why = why_pages_do_not_come(to.extent); !why.empty())
    return {PyExc_BufferError, fmt::format("out cannot be written: {}; nothing was written", why)};
  constexpr std::uint64_t kFewBytes = 64 << 10;
  using core::Prepared;
  const Prepared prepared = to.extent.size() <= kFewBytes ? core::prepare_for_writing(to.extent) : Prepared::not_known;
  if (prepared == Prepared::yes) return {};
  if (prepared == Prepared::no_answer)
    return {PyExc_BufferError, "out cannot be written: the memory does not answer a write; nothing was written"};
  const auto map = core::AddressMap::load(0);
  if (!map) return {PyExc_BufferError, fmt::format("whether out can be written is not known: {}", map.error().message)};
  std::string why = core::why_not_mapped_for_writing(*map, to.extent);
  if (why.empty() && !files_reach_end(*map, to.extent)) why = "the file that it is mapped from has become shorter";
  if (why.empty() && prepared == Prepared::no) why = "the system gives no memory for one of its pages";
  if (why.empty()) return {};
  return {PyExc_BufferError, fmt::format("out cannot be written: {}; nothing was written", why)};
}

bool is_the_same(const HeldTensor& from, const HeldTensor& to) {
  return from.in_host_memory() && from.address() == to.address() && from.dtype == to.dtype && has_strides(from, to.stride_bits());
}

struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t ns = 0;
  bool complete = true;  // false: a signal handler raised; its exception is pending
  std::string path = {};
};

core::Result<Written> write_in_parts(const HeldTensor& from, const HeldTensor& to) {
  const core::CopySource source{reinterpret_cast<const std::byte*>(from.data), from.layout(), from.dtype};
  const core::CopyTarget target{reinterpret_cast<std::byte*>(to.data), to.layout(), to.dtype};
  Written written;
  const std::int64_t began = core::monotonic_ns();
  InterruptibleWithoutGil released;
  const auto copied = core::copy_in_parts(source, target, [&](std::uint64_t done, std::uint64_t total) {
    written.bytes = done;
    return done == total || released.run_signal_handlers();
  });
  if (!copied) return std::unexpected(copied.error());
  written.complete = *copied;
  written.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began);
  written.path = host_path(from, to);
  return written;
}

// Copied by the driver; a conversion is made on the host, from a copy brought there.
core::Result<Written> write_from_device(const HeldTensor& from, const HeldTensor& to) {
  const std::int64_t began = core::monotonic_ns();
  Written written;
  {
    const WithoutGil released;
    if (auto done = copy_by_driver(from, to, {}, &written.path); !done) return std::unexpected(done.error());
  }
  written.bytes = to.nbytes();
  written.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began);
  return written;
}

void enter_in_ledger(const HeldTensor& from, const HeldTensor& to, const Written& written) {
  const std::uint64_t plain =
      from.dtype == to.dtype ? plain_copy_ns(from.device, to.device, written.bytes, MeasureRate::no) : 0;
  Runtime::get().note_copy({.from = fmt::format("{} on {}", from.source, core::device_name(from.device)),
                            .to = fmt::format("{} on {}, given as out", to.source, core::device_name(to.device)),
                            .bytes = written.bytes,
                            .ns = written.ns,
                            .why = fmt::format("{} wrote {} bytes into `out`", kWhy, written.bytes),
                            .path = written.path,
                            .plain_ns = plain});
}

// A signal handler's exception is pending. KeyboardInterrupt gets the numbers; another exception is left unchanged.
void say_how_much(const HeldTensor& to, const Written& written) {
  std::string message =
      fmt::format("{} was stopped: the first {} of {} elements of out (in C order) are written, the others are as they were",
                  kWhy, written.bytes * 8 / to.item_bits, to.bounds.elements);
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) PyErr_SetString(PyExc_KeyboardInterrupt, message.c_str());
  Runtime::get().note(core::EventKind::write, std::move(message));
}

bool raise(const Refusal& refusal) {
  PyErr_SetString(refusal.type, refusal.message.c_str());
  return false;
}

Refusal why_not(const HeldTensor& from, const HeldTensor& to, const OutRequest& wanted) {
  if (Refusal refusal = contradicted(to, wanted)) return refusal;
  if (Refusal refusal = other_elements(from, to)) return refusal;
  if (Refusal refusal = other_order(from, to, wanted)) return refusal;
  if (to.bounds.elements == 0 || is_the_same(from, to)) return {};
  if (Refusal refusal = repeats_elements(to)) return refusal;
  if (Refusal refusal = common_memory(from, to)) return refusal;
  return not_mapped(to);
}

}  // namespace

bool copy_into(const HeldTensor& from, const HeldTensor& to, const OutRequest& wanted) {
  if (const Refusal refusal = not_writable(to)) return raise(refusal);
  if (const Refusal refusal = why_not(from, to, wanted)) return raise(refusal);
  if (to.bounds.elements == 0 || is_the_same(from, to)) return true;
  if (!is_reachable(from, {.may_leave_device = true, .why = kWhy})) return false;
  std::shared_ptr<HeldTensor> brought;
  const HeldTensor* source = &from;
  if (!from.in_host_memory() && from.dtype != to.dtype) {
    brought = copy_of(from, {.order = CopyOrder::keep, .may_leave_device = true, .why = kWhy});
    if (!brought) return false;
    source = brought.get();
  }
  const auto written = source->in_host_memory() ? write_in_parts(*source, to) : write_from_device(*source, to);
  if (!written) {
    return raise(
        {written.error().kind == core::ErrorKind::environment ? PyExc_MemoryError : PyExc_BufferError, written.error().message});
  }
  if (written->bytes > 0) enter_in_ledger(from, to, *written);
  if (!written->complete) say_how_much(to, *written);
  return written->complete;
}

}  // namespace dlscope::embed
