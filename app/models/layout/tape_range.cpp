#include "app/models/layout/tape_range.h"

#include <algorithm>

#include "app/models/tensors/memory_place.h"
#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 59;  // of a tape: its bits then fit into 63 bits
constexpr std::uint64_t kNearBytes = 256;                     // a data pointer this near is always shown

}  // namespace

std::optional<std::int64_t> TapeRange::bit_of(core::Address address) const {
  if (!addressed) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(address - begin);  // wraps below `begin`, as intended
  if (bytes > static_cast<std::int64_t>(kMaxBytes) || bytes < -static_cast<std::int64_t>(kMaxBytes)) return std::nullopt;
  return bytes * 8;
}

TapeRange tape_range(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TapeScope scope) {
  TapeRange range;
  core::LayoutBounds bounds;
  static_cast<void>(core::check_layout(snapshot.layout(tensor), bounds));
  const std::int64_t low = core::floor_div(bounds.lowest_bit, 8) * 8;
  if (!has_place(tensor) || tensor.extent.size() > kMaxBytes) {
    range.bits = bounds.highest_bit - low;
    range.origin = -low;
    range.own_end = range.bits;
    return range;
  }
  core::ByteRange bytes = tensor.extent;
  if (tensor.data < bytes.begin && bytes.begin - tensor.data <= std::max(kNearBytes, bytes.size() * 4)) bytes.begin = tensor.data;
  if (scope == TapeScope::group && tensor.group != core::kNone32) {
    const core::ByteRange group = snapshot.group_range(tensor);
    const core::ByteRange both{std::min(bytes.begin, group.begin), std::max(bytes.end, group.end)};
    if (both.size() <= kMaxBytes) bytes = both;
  }
  if (bytes.size() > kMaxBytes) bytes = tensor.extent;
  range.addressed = true;
  range.begin = bytes.begin;
  range.bits = static_cast<std::int64_t>(bytes.size()) * 8;
  range.own_begin = static_cast<std::int64_t>(tensor.extent.begin - bytes.begin) * 8;
  range.own_end = range.own_begin + static_cast<std::int64_t>(tensor.extent.size()) * 8;
  range.origin = range.own_begin - low;
  if (tensor.data >= bytes.begin && tensor.data <= bytes.end) range.data = range.bit_of(tensor.data);
  return range;
}

}  // namespace dlscope::app
