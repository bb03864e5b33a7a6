#include "core/transfer/device_copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "core/transfer/copy_plan.h"
#include "core/transfer/strided_copy.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kMaxPacked = std::int64_t{16} << 20;  // the largest span of a block that is packed on the host, in bytes
constexpr std::int64_t kLongRun = 512;                        // bytes; runs this long make a 2-D copy as fast as a contiguous one
constexpr std::int64_t kMaxWaste = 8;                        // the most bytes transferred per byte of a block

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

// A part of a plan: a box of its items.
struct Block {
  CopyPlan plan;  // in bytes; from_start and to_start are those of the block's first item

  [[nodiscard]] std::span<const CopyAxis> axes() const { return {plan.axes.data(), plan.rank}; }
  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t all = plan.item;
    for (const CopyAxis& axis : axes()) all *= axis.count;
    return all;
  }
  // Bytes from the lowest to one past the highest, in the source or the target.
  [[nodiscard]] std::int64_t span(std::int64_t CopyAxis::*stride) const {
    std::int64_t all = plan.item;
    for (const CopyAxis& axis : axes()) all += (axis.count - 1) * magnitude(axis.*stride);
    return all;
  }
  // Offset of the lowest byte from the first item.
  [[nodiscard]] std::int64_t lowest(std::int64_t CopyAxis::*stride) const {
    std::int64_t offset = 0;
    for (const CopyAxis& axis : axes()) offset += std::min<std::int64_t>(0, (axis.count - 1) * (axis.*stride));
    return offset;
  }
  [[nodiscard]] std::size_t longest(std::int64_t CopyAxis::*stride) const {
    const auto all = axes();
    return static_cast<std::size_t>(
        std::ranges::max_element(all, {}, [&](const CopyAxis& axis) { return magnitude(axis.*stride); }) - all.begin());
  }
  // The two halves along an axis. An axis that is left with one item is removed.
  [[nodiscard]] std::array<Block, 2> halves(std::size_t axis) const {
    std::array<Block, 2> out{*this, *this};
    const CopyAxis whole = plan.axes[axis];
    const std::int64_t half = whole.count / 2;
    out[0].resize(axis, half);
    out[1].plan.from_start += half * whole.from;
    out[1].plan.to_start += half * whole.to;
    out[1].resize(axis, whole.count - half);
    return out;
  }

 private:
  void resize(std::size_t axis, std::int64_t count) {
    plan.axes[axis].count = count;
    if (count > 1) return;
    std::copy(plan.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
              plan.axes.begin() + static_cast<std::ptrdiff_t>(plan.rank), plan.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    --plan.rank;
  }
};

// The block as the argument of the copy kernel, whose threads follow the target's order. nullopt: it has too many axes.
struct KernelCopy {
  kernels::ItemCopy copy{};
  unsigned item = 1;
};
std::optional<KernelCopy> kernel_copy(const Block& block, Address from, Address to) {
  KernelCopy out;
  std::uint64_t all = static_cast<std::uint64_t>(block.plan.item) | from | to | 16;
  for (const CopyAxis& axis : block.axes()) all |= static_cast<std::uint64_t>(axis.from) | static_cast<std::uint64_t>(axis.to);
  out.item = 1u << std::countr_zero(all);
  const auto unit = static_cast<std::int64_t>(out.item);
  kernels::ItemCopy& copy = out.copy;
  copy.from = from;
  copy.to = to;
  copy.items = 1;
  const auto add = [&](const CopyAxis& axis) {
    copy.count[copy.axes] = axis.count;
    copy.from_stride[copy.axes] = axis.from;
    copy.to_stride[copy.axes++] = axis.to;
    copy.items *= static_cast<std::uint64_t>(axis.count);
  };
  if (block.plan.rank + 1 > kernels::kMaxCopyAxes) return std::nullopt;
  for (const CopyAxis& axis : block.axes()) add(axis);
  if (block.plan.item > unit) add({block.plan.item / unit, unit, unit});
  return out;
}

// The block with its target packed: items contiguous, in the target's order.
Block packed(const Block& block) {
  Block out = block;
  out.plan.to_start = 0;
  std::int64_t stride = block.plan.item;
  for (std::size_t d = block.plan.rank; d-- > 0;) {
    out.plan.axes[d].to = stride;
    stride *= block.plan.axes[d].count;
  }
  return out;
}

// The block as layouts, for copy_strided() on the host.
struct BlockLayouts {
  explicit BlockLayouts(const Block& block) : rank(block.plan.rank), item_bits(static_cast<std::uint32_t>(block.plan.item * 8)) {
    for (std::size_t d = 0; d < rank; ++d) {
      shape[d] = block.plan.axes[d].count;
      from[d] = block.plan.axes[d].from * 8;
      to[d] = block.plan.axes[d].to * 8;
    }
  }
  [[nodiscard]] LayoutView from_layout() const { return {{shape.data(), rank}, {from.data(), rank}, item_bits}; }
  [[nodiscard]] LayoutView to_layout() const { return {{shape.data(), rank}, {to.data(), rank}, item_bits}; }
  std::array<std::int64_t, kMaxRank> shape{}, from{}, to{};
  std::size_t rank;
  std::uint32_t item_bits;
};

// Whether the block is rows: at most one axis, whose items do not overlap on the device.
bool is_rows(const Block& block, std::int64_t CopyAxis::*on_device) {
  return block.plan.rank == 0 || (block.plan.rank == 1 && magnitude(block.plan.axes[0].*on_device) >= block.plan.item);
}

// The rows on the device in ascending order, and on the host the offset of the corresponding first row and the pitch.
struct Rows {
  DeviceRows device;
  std::int64_t host_first = 0, host_pitch = 0;
};
Rows rows_of(const Block& block, Address device, std::int64_t device_start, std::int64_t host_start,
             std::int64_t CopyAxis::*on_device, std::int64_t CopyAxis::*on_host) {
  const auto item = static_cast<std::size_t>(block.plan.item);
  Rows out{{device + static_cast<Address>(device_start), item, 1, item}, host_start, 0};
  if (block.plan.rank == 0) return out;
  const CopyAxis& axis = block.plan.axes[0];
  out.device.count = static_cast<std::size_t>(axis.count);
  out.device.pitch = static_cast<std::size_t>(magnitude(axis.*on_device));
  out.host_pitch = axis.*on_host;
  if (axis.*on_device < 0) {
    out.device.first += static_cast<Address>((axis.count - 1) * (axis.*on_device));
    out.host_first += (axis.count - 1) * (axis.*on_host);
    out.host_pitch = -out.host_pitch;
  }
  return out;
}

std::unexpected<Error> cancelled() { return fail(ErrorKind::cancelled, "the copy was stopped"); }

// Counts the bytes of the target that are copied, and asks whether to go on. Writes down the way they took.
class Pace {
 public:
  Pace(const DeviceCopyOptions& options, std::uint64_t total) : options_(options), total_(total) {}

  [[nodiscard]] bool moved(std::uint64_t bytes) {
    done_ += bytes;
    return !options_.progress || options_.progress(done_, total_);
  }
  [[nodiscard]] Result<void> after(std::uint64_t bytes) {
    if (!moved(bytes)) return cancelled();
    return {};
  }
  [[nodiscard]] PieceMoved as_moved() {
    return [this](std::size_t bytes) { return moved(bytes); };
  }
  void took(bool DeviceCopyWay::*step) const {
    if (options_.way != nullptr) options_.way->*step = true;
  }
  [[nodiscard]] std::int64_t piece() const { return static_cast<std::int64_t>(std::max<std::size_t>(options_.device_piece, 1)); }

 private:
  const DeviceCopyOptions& options_;
  std::uint64_t total_, done_ = 0;
};

class FromDevice {
 public:
  FromDevice(CudaTransfer& transfer, Address from, std::byte* to, Pace& pace)
      : transfer_(transfer), from_(from), to_(to), pace_(pace) {}

  [[nodiscard]] Result<void> copy(const Block& block) {
    const std::int64_t span = block.span(&CopyAxis::from);
    const bool wasteful = span / kMaxWaste > block.bytes();
    if (block.plan.rank == 0 || (is_rows(block, &CopyAxis::from) && (block.plan.item >= kLongRun || wasteful)))
      return copy_rows(block);
    if (!by_kernel_) by_kernel_ = transfer_.kernels_problem().empty() && transfer_.scratch().has_value();
    const bool by_kernel = *by_kernel_;
    const bool fits = block.bytes() <= static_cast<std::int64_t>(transfer_.scratch_bytes());
    if (by_kernel && fits) return pack_on_device(block);
    if (!by_kernel && span <= kMaxPacked && !wasteful) return pack(block, span);
    for (const Block& half : block.halves(by_kernel ? block.longest(&CopyAxis::to) : axis_to_split(block))) {
      if (auto done = copy(half); !done) return done;
    }
    return {};
  }

 private:
  // A broadcast axis adds no bytes, so it is split only when no other axis is left.
  static std::size_t axis_to_split(const Block& block) { return block.longest(&CopyAxis::from); }

  [[nodiscard]] Result<void> copy_rows(const Block& block) {
    const Rows rows = rows_of(block, from_, block.plan.from_start, block.plan.to_start, &CopyAxis::from, &CopyAxis::to);
    return transfer_.to_host(rows.device, to_ + rows.host_first, static_cast<std::ptrdiff_t>(rows.host_pitch), {},
                             pace_.as_moved());
  }
  [[nodiscard]] Result<void> pack(const Block& block, std::int64_t span) {
    packed_.resize(static_cast<std::size_t>(span));
    const std::int64_t lowest = block.lowest(&CopyAxis::from);
    const Address first = from_ + static_cast<Address>(block.plan.from_start + lowest);
    if (auto done = transfer_.to_host({first, packed_.size(), 1, packed_.size()}, packed_.data(), 0); !done) return done;
    const BlockLayouts layouts(block);
    (void)copy_strided(packed_.data() - lowest, layouts.from_layout(), to_ + block.plan.to_start, layouts.to_layout());
    pace_.took(&DeviceCopyWay::host_packed);
    return pace_.after(static_cast<std::uint64_t>(block.bytes()));
  }

  [[nodiscard]] Result<void> pack_on_device(const Block& block) {
    const auto scratch = transfer_.scratch();
    if (!scratch) return std::unexpected(scratch.error());
    const Block dense = packed(block);
    const auto work = kernel_copy(dense, from_ + static_cast<Address>(block.plan.from_start), *scratch);
    if (!work) return pack(block, block.span(&CopyAxis::from));
    pace_.took(&DeviceCopyWay::kernel);
    if (auto done = transfer_.copy_items(work->copy, work->item); !done) return done;
    const auto bytes = static_cast<std::size_t>(block.bytes());
    if (block.span(&CopyAxis::to) == block.bytes())
      return transfer_.to_host({*scratch, bytes, 1, bytes}, to_ + block.plan.to_start, 0, {}, pace_.as_moved());
    packed_.resize(bytes);
    if (auto done = transfer_.to_host({*scratch, bytes, 1, bytes}, packed_.data(), 0); !done) return done;
    (void)copy_strided(packed_.data(), BlockLayouts(dense).to_layout(), to_ + block.plan.to_start,
                       BlockLayouts(block).to_layout());
    return pace_.after(bytes);
  }

  CudaTransfer& transfer_;
  Address from_;
  std::byte* to_;
  Pace& pace_;
  std::optional<bool> by_kernel_;  // whether kernels can be used; nullopt: not asked yet
  std::vector<std::byte> packed_;
};

class ToDevice {
 public:
  ToDevice(CudaTransfer& transfer, const std::byte* from, Address to, Pace& pace)
      : transfer_(transfer), from_(from), to_(to), pace_(pace) {}

  [[nodiscard]] Result<void> copy(const Block& block) {
    const std::int64_t span = block.span(&CopyAxis::to);
    if (is_rows(block, &CopyAxis::to)) return copy_rows(block);
    if (span == block.bytes() && span <= kMaxPacked) return spread(block, span);
    for (const Block& half : block.halves(block.longest(&CopyAxis::to))) {
      if (auto done = copy(half); !done) return done;
    }
    return {};
  }

 private:
  [[nodiscard]] Result<void> copy_rows(const Block& block) {
    const Rows rows = rows_of(block, to_, block.plan.to_start, block.plan.from_start, &CopyAxis::to, &CopyAxis::from);
    return transfer_.to_device(from_ + rows.host_first, static_cast<std::ptrdiff_t>(rows.host_pitch), rows.device, {},
                               pace_.as_moved());
  }
  // Arranges the block on the host as it lies on the device; it fills its span completely, so no other bytes are overwritten.
  [[nodiscard]] Result<void> spread(const Block& block, std::int64_t span) {
    packed_.resize(static_cast<std::size_t>(span));
    const BlockLayouts layouts(block);
    (void)copy_strided(from_ + block.plan.from_start, layouts.from_layout(), packed_.data(), layouts.to_layout());
    const Address first = to_ + static_cast<Address>(block.plan.to_start);
    pace_.took(&DeviceCopyWay::host_packed);
    return transfer_.to_device(packed_.data(), 0, {first, packed_.size(), 1, packed_.size()}, {}, pace_.as_moved());
  }

  CudaTransfer& transfer_;
  const std::byte* from_;
  Address to_;
  Pace& pace_;
  std::vector<std::byte> packed_;
};

class OnDevice {
 public:
  OnDevice(CudaTransfer& transfer, Address from, Address to, Pace& pace)
      : transfer_(transfer), from_(from), to_(to), pace_(pace) {}

  [[nodiscard]] Result<void> copy(const Block& block) {
    if (block.plan.rank == 0) return copy_dense(block);
    if (!transfer_.kernels_problem().empty()) return by_the_host(block);
    if (block.bytes() > pace_.piece()) {
      for (const Block& half : block.halves(block.longest(&CopyAxis::to))) {
        if (auto done = copy(half); !done) return done;
      }
      return {};
    }
    const auto work = kernel_copy(block, from_ + static_cast<Address>(block.plan.from_start),
                                  to_ + static_cast<Address>(block.plan.to_start));
    if (!work) return by_the_host(block);
    pace_.took(&DeviceCopyWay::kernel);
    if (auto done = transfer_.copy_items(work->copy, work->item); !done) return done;
    return pace_.after(static_cast<std::uint64_t>(block.bytes()));
  }

 private:
  [[nodiscard]] Result<void> copy_dense(const Block& block) {
    for (std::int64_t at = 0; at < block.plan.item; at += pace_.piece()) {
      const std::int64_t bytes = std::min(pace_.piece(), block.plan.item - at);
      if (auto done = transfer_.on_device(from_ + static_cast<Address>(block.plan.from_start + at),
                                          to_ + static_cast<Address>(block.plan.to_start + at), static_cast<std::size_t>(bytes));
          !done)
        return done;
      if (auto done = pace_.after(static_cast<std::uint64_t>(bytes)); !done) return done;
    }
    return {};
  }
  [[nodiscard]] Result<void> by_the_host(const Block& block) {
    if (block.bytes() > kMaxPacked && block.plan.rank > 0) {
      for (const Block& half : block.halves(block.longest(&CopyAxis::to))) {
        if (auto done = by_the_host(half); !done) return done;
      }
      return {};
    }
    pace_.took(&DeviceCopyWay::through_host);
    std::vector<std::byte> bytes(static_cast<std::size_t>(block.bytes()));
    const Block brought = packed(block);
    Block sent = brought;
    for (std::size_t d = 0; d < sent.plan.rank; ++d)
      sent.plan.axes[d] = {sent.plan.axes[d].count, brought.plan.axes[d].to, block.plan.axes[d].to};
    sent.plan.from_start = 0;
    sent.plan.to_start = block.plan.to_start;
    const DeviceCopyOptions quietly;
    Pace uncounted(quietly, 0);
    if (auto done = FromDevice(transfer_, from_, bytes.data(), uncounted).copy(brought); !done) return done;
    return ToDevice(transfer_, bytes.data(), to_, pace_).copy(sent);
  }

  CudaTransfer& transfer_;
  Address from_, to_;
  Pace& pace_;
};

std::unexpected<Error> part_of_a_byte() {
  return fail(ErrorKind::unsupported,
              "packed elements that do not lie in whole bytes on both sides are not copied to or from a device");
}

// Calls copy(block, pace) for everything that is to be copied.
template <class Copy>
Result<void> copy_all(LayoutView from, LayoutView to, const DeviceCopyOptions& options, Copy copy) {
  const Block all{plan_copy(from, to)};
  if (all.plan.empty) return {};
  if (!all.plan.in_bytes) return part_of_a_byte();
  Pace pace(options, static_cast<std::uint64_t>(all.bytes()));
  if (!pace.moved(0)) return cancelled();
  return copy(all, pace);
}

}  // namespace

Result<void> copy_from_device(CudaTransfer& transfer, Address from, LayoutView from_layout, std::byte* to, LayoutView to_layout,
                              const DeviceCopyOptions& options) {
  return copy_all(from_layout, to_layout, options,
                  [&](const Block& all, Pace& pace) { return FromDevice(transfer, from, to, pace).copy(all); });
}

Result<void> copy_to_device(CudaTransfer& transfer, const std::byte* from, LayoutView from_layout, Address to,
                            LayoutView to_layout, const DeviceCopyOptions& options) {
  return copy_all(from_layout, to_layout, options,
                  [&](const Block& all, Pace& pace) { return ToDevice(transfer, from, to, pace).copy(all); });
}

Result<void> copy_on_device(CudaTransfer& transfer, Address from, LayoutView from_layout, Address to, LayoutView to_layout,
                            const DeviceCopyOptions& options) {
  return copy_all(from_layout, to_layout, options,
                  [&](const Block& all, Pace& pace) { return OnDevice(transfer, from, to, pace).copy(all); });
}

Result<void> copy_to_peer(CudaTransfer& transfer, Address from, int peer, Address to, std::uint64_t bytes,
                          const DeviceCopyOptions& options) {
  Pace pace(options, bytes);
  if (!pace.moved(0)) return cancelled();
  const auto most = static_cast<std::uint64_t>(pace.piece());
  for (std::uint64_t at = 0; at < bytes; at += most) {
    const std::uint64_t some = std::min(most, bytes - at);
    if (auto done = transfer.to_peer(from + at, peer, to + at, static_cast<std::size_t>(some)); !done) return done;
    if (auto done = pace.after(some); !done) return done;
  }
  return {};
}

}  // namespace dlscope::core
