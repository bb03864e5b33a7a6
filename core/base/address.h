// Addresses, the spaces they live in, and half-open byte ranges. An address means nothing outside its space:
// two devices may use the same number. Host, pinned and managed memory are one space.
#pragma once

#include <cstdint>

namespace dlscope::core {

using Address = std::uint64_t;

// kNoSpace: opaque handles (Metal, OpenCL, Vulkan): no address, never compared. kHostSpace: everything a CPU load reaches.
// Other spaces are numbered per device by Snapshot::spaces.
using SpaceId = std::uint16_t;
inline constexpr SpaceId kNoSpace = 0;
inline constexpr SpaceId kHostSpace = 1;

// [begin, end) in bytes; begin == end is empty. Ranges are compared only inside one space.
struct ByteRange {
  Address begin = 0;
  Address end = 0;

  [[nodiscard]] constexpr bool empty() const { return begin == end; }
  [[nodiscard]] constexpr std::uint64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool contains(Address a) const { return begin <= a && a < end; }
  [[nodiscard]] constexpr bool holds(Address a, std::uint64_t bytes) const { return contains(a) && bytes <= end - a; }
  [[nodiscard]] constexpr bool meets(ByteRange other) const { return begin < other.end && other.begin < end; }
  friend constexpr bool operator==(ByteRange, ByteRange) = default;
};

}  // namespace dlscope::core
