#include "embed/tensors/fill_copy.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "core/base/clock.h"
#include "core/compare/changed_values.h"
#include "core/transfer/copy_in_parts.h"
#include "core/transfer/strided_copy.h"
#include "embed/tensors/copy_rates.h"
#include "embed/tensors/device_memory.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

// Several stages, which follow each other, as one progress: each counts as many bytes as the copy has.
class Stages {
 public:
  Stages(const core::CopyProgress& whole, std::uint64_t stages, std::uint64_t bytes)
      : whole_(whole), stages_(stages), bytes_(bytes) {}

  // For the stage that begins now.
  [[nodiscard]] core::CopyProgress next() {
    const std::uint64_t stage = begun_++;
    return [this, stage](std::uint64_t done, std::uint64_t total) {
      if (!whole_) return true;
      const double part = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
      return whole_(stage * bytes_ + static_cast<std::uint64_t>(part * static_cast<double>(bytes_)), stages_ * bytes_);
    };
  }

 private:
  const core::CopyProgress& whole_;
  std::uint64_t stages_, bytes_, begun_ = 0;
};

bool needs_driver(const HeldTensor& from, const HeldTensor& to) {
  return is_on_cuda_device(from.device) || is_on_cuda_device(to.device);
}

core::CopySource source_of(const HeldTensor& from) {
  return {reinterpret_cast<const std::byte*>(from.data), from.layout(), from.dtype};
}

// False: it was stopped.
core::Result<bool> copy_on_host(const HeldTensor& from, const HeldTensor& to, std::byte* bytes,
                                const core::CopyProgress& progress) {
  if (from.dtype != to.dtype && from.subbyte_padded)
    return core::fail(core::ErrorKind::unsupported, "padded sub-byte elements are not converted");
  return core::copy_in_parts(source_of(from), {bytes, to.layout(), to.dtype}, progress);
}

core::Result<bool> or_stopped(core::Result<void> done) {
  if (done) return true;
  if (done.error().kind == core::ErrorKind::cancelled) return false;
  return std::unexpected(std::move(done.error()));
}

// A conversion is made on the host: the elements are brought there first, and sent on afterwards.
class ByDriver {
 public:
  ByDriver(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) : from_(from), to_(to), bytes_(bytes) {}

  [[nodiscard]] std::uint64_t stages() const {
    return from_.dtype == to_.dtype ? 1 : 1 + (is_on_cuda_device(from_.device) ? 1 : 0) + (bytes_ == nullptr ? 1 : 0);
  }
  // False: it was stopped.
  [[nodiscard]] core::Result<bool> run(Stages& stages, std::string& path) {
    if (from_.dtype == to_.dtype) return or_stopped(copy_by_driver(from_, to_, stages.next(), &path));
    // All memory is allocated before the first byte is copied.
    core::Result<NewTensor> brought, converted;
    if (is_on_cuda_device(from_.device)) {
      brought = allocate_tensor(from_.shape(), dense_strides(from_, CopyOrder::keep, from_.item_bits), from_.dtype,
                                from_.subbyte_padded);
      if (!brought) return std::unexpected(brought.error());
    }
    if (bytes_ == nullptr) {
      converted = allocate_tensor(to_.shape(), to_.stride_bits(), to_.dtype, to_.subbyte_padded);
      if (!converted) return std::unexpected(converted.error());
    }
    const HeldTensor& source = brought->tensor ? *brought->tensor : from_;
    if (brought->tensor) {
      if (auto done = or_stopped(copy_by_driver(from_, source, stages.next(), &path)); !done || !*done) return done;
    }
    path += path.empty() ? "converted on the host" : ", converted on the host";
    std::byte* const target = bytes_ != nullptr ? bytes_ : converted->bytes;
    const HeldTensor& made = bytes_ != nullptr ? to_ : *converted->tensor;
    if (auto done = copy_on_host(source, made, target, stages.next()); !done || !*done) return done;
    if (bytes_ != nullptr) return true;
    std::string onward;
    auto sent = or_stopped(copy_by_driver(made, to_, stages.next(), &onward));
    path += ", " + onward;
    return sent;
  }

 private:
  const HeldTensor &from_, &to_;
  std::byte* bytes_;
};

// Whether what cannot be read here is the reason that nothing was compared.
std::string why_not_readable(const HeldTensor& original) {
  if (original.in_host_memory() || is_on_cuda_device(original.device)) return {};
  return fmt::format("its library brought it to the host, and what is on {} cannot be read here", core::device_name(original.device));
}

// Whether the copy has the source's elements; what cannot be compared is said.
core::Result<void> compare(const HeldTensor& from, const HeldTensor& to, std::byte* bytes, const core::CopyProgress& progress,
                           Filled& filled) {
  filled.why_not_compared = why_not_readable(from);
  if (!filled.why_not_compared.empty()) return {};
  std::atomic<std::uint64_t> changed = 0;
  const auto see = [&](const std::byte* source, const std::byte* converted, std::uint64_t count) {
    changed += core::count_changed(from.dtype, source, to.dtype, converted, count);
  };
  const auto same = needs_driver(from, to) ? is_driver_copy(from, to, progress, see)
                                           : core::is_copy_of(source_of(from), {bytes, to.layout(), to.dtype}, progress,
                                                              core::kCopyPartBytes, see);
  // The copy itself is made.
  if (!same && needs_driver(from, to) && same.error().kind != core::ErrorKind::cancelled) {
    filled.why_not_compared = same.error().message;
    return {};
  }
  if (!same) return std::unexpected(same.error());
  filled.complete = same->has_value();
  filled.compared = filled.complete;
  filled.equal = same->value_or(true);
  if (filled.compared && from.dtype != to.dtype)
    filled.path += "; " + core::conversion_text({changed, to.bounds.elements});
  return {};
}

// Copies part by part: for progress, for comparison, and to be stopped. Copying and comparing are one task. Without the GIL.
// compared: what the copy is compared with afterwards; null: nothing.
core::Result<Filled> fill_in_parts(const HeldTensor& from, const HeldTensor& to, std::byte* bytes,
                                   const core::CopyProgress& progress, const HeldTensor* compared) {
  ByDriver by_driver(from, to, bytes);
  const bool needs = needs_driver(from, to);
  Stages stages(progress, (needs ? by_driver.stages() : 1) + (compared != nullptr ? 1 : 0), to.nbytes());
  Filled filled;
  const std::int64_t began_ns = core::monotonic_ns();
  const auto copied = needs ? by_driver.run(stages, filled.path) : copy_on_host(from, to, bytes, stages.next());
  filled.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns);
  if (!copied) return std::unexpected(copied.error());
  if (!needs) filled.path = host_path(from, to);
  filled.complete = *copied;
  if (!filled.complete || compared == nullptr) return filled;
  if (auto done = compare(*compared, to, bytes, stages.next(), filled); !done) return std::unexpected(done.error());
  return filled;
}

core::Result<Filled> fill_small(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  const std::int64_t began_ns = core::monotonic_ns();
  if (from.dtype != to.dtype) {
    if (const auto done = copy_on_host(from, to, bytes, [](auto, auto) { return true; }); !done)
      return std::unexpected(done.error());
  } else {
    (void)core::copy_strided(reinterpret_cast<const std::byte*>(from.data), from.layout(), bytes, to.layout());
  }
  return Filled{.ns = static_cast<std::uint64_t>(core::monotonic_ns() - began_ns), .path = host_path(from, to)};
}

}  // namespace

std::string host_path(const HeldTensor& from, const HeldTensor& to) {
  return fmt::format("{} -> {}, {}", core::device_name(from.device), core::device_name(to.device),
                     from.dtype == to.dtype ? core::copy_method_text(from.layout(), to.layout()) : "converted in tiles");
}

// A large copy is made part by part, on several threads; a signal handler that raises ends it (its exception is pending then).
core::Result<Filled> fill_copy(const HeldTensor& from, const HeldTensor& to, std::byte* bytes, const CopyRequest& wanted) {
  constexpr std::uint64_t kWorthReleasing = 64 << 10, kWorthParts = std::uint64_t{4} << 20;
  const bool by_driver = needs_driver(from, to);
  core::Result<Filled> filled;
  if (wanted.progress || wanted.compare) {
    const WithoutGil released;
    const HeldTensor& source = wanted.original != nullptr ? *wanted.original : from;
    filled = fill_in_parts(from, to, bytes, wanted.progress, wanted.compare ? &source : nullptr);
  } else if (by_driver || to.nbytes() >= kWorthParts) {
    InterruptibleWithoutGil released;
    const auto progress = [&](std::uint64_t done, std::uint64_t total) { return done == total || released.run_signal_handlers(); };
    filled = fill_in_parts(from, to, bytes, progress, nullptr);
  } else if (to.nbytes() >= kWorthReleasing) {
    const WithoutGil released;
    filled = fill_small(from, to, bytes);
  } else {
    filled = fill_small(from, to, bytes);
  }
  if (filled && filled->complete && from.dtype == to.dtype)
    filled->plain_ns = plain_copy_ns(from.device, to.device, to.nbytes(), wanted.measure ? MeasureRate::once : MeasureRate::no);
  return filled;
}

}  // namespace dlscope::embed
