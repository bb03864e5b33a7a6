#include "core/transfer/device_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/transfer/device_copy.h"
#include "core/transfer/index_box.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMostPacked = std::uint64_t{64} << 20;  // bytes of packed elements, which are brought all at once

// A part of one side in host memory: where it is, or brought there.
class PartOnHost {
 public:
  explicit PartOnHost(const DeviceSide& side) : side_(side) {}

  [[nodiscard]] Result<void> bring(const IndexBox& part) {
    const std::int64_t offset = part.offset_in(side_.layout);
    layout_ = part.layout_in(side_.layout);
    const Address first = side_.address + static_cast<Address>(offset);
    if (side_.transfer == nullptr) {
      bytes_ = reinterpret_cast<const std::byte*>(first);
      return {};
    }
    const std::span<std::int64_t> dense(strides_.data(), layout_.shape.size());
    if (!c_order_strides(layout_.shape, layout_.item_bits, dense))
      return fail(ErrorKind::unsupported, "the part to compare is too large");
    const LayoutView brought{layout_.shape, dense, layout_.item_bits};
    room_.resize(static_cast<std::size_t>((part.elements * layout_.item_bits + 7) / 8));
    if (auto done = copy_from_device(*side_.transfer, first, layout_, room_.data(), brought); !done) return done;
    layout_ = brought;
    bytes_ = room_.data();
    return {};
  }
  [[nodiscard]] const std::byte* bytes() const { return bytes_; }
  [[nodiscard]] LayoutView layout() const { return layout_; }

 private:
  const DeviceSide& side_;
  std::array<std::int64_t, kMaxRank> strides_{};
  std::vector<std::byte> room_;
  const std::byte* bytes_ = nullptr;
  LayoutView layout_;
};

}  // namespace

Result<std::optional<bool>> is_copy_across(const DeviceSide& from, const DeviceSide& made, const CopyProgress& progress,
                                           std::uint64_t part_bytes, const SeeConverted& see) {
  const std::uint32_t bits = std::max(from.layout.item_bits, made.layout.item_bits);
  const bool whole_bytes = from.layout.item_bits % 8 == 0 && made.layout.item_bits % 8 == 0;
  Parts parts(from.layout.shape, whole_bytes ? std::max<std::uint64_t>(1, part_bytes * 8 / bits) : ~std::uint64_t{0});
  const std::uint64_t total = (parts.elements() * made.layout.item_bits + 7) / 8;
  if (!whole_bytes && parts.elements() / 8 * bits > kMostPacked)  // all of it comes at once, of both sides
    return fail(ErrorKind::unsupported, fmt::format("packed elements of more than {} MiB are not compared", kMostPacked >> 20));
  PartOnHost source(from), copy(made);
  std::uint64_t done = 0;
  for (IndexBox part; parts.next(part); done += part.elements) {
    if (!progress(done * made.layout.item_bits / 8, total)) return std::optional<bool>();
    for (PartOnHost* const side : {&source, &copy}) {
      if (auto brought = side->bring(part); !brought) return std::unexpected(brought.error());
    }
    const auto same = is_copy_of({source.bytes(), source.layout(), from.dtype},
                                 {const_cast<std::byte*>(copy.bytes()), copy.layout(), made.dtype},  // NOLINT: only read
                                 [](auto, auto) { return true; }, kCopyPartBytes, see);
    if (!same || *same == false) return same;
  }
  if (!progress(total, total)) return std::optional<bool>();
  return std::optional(true);
}

}  // namespace dlscope::core
