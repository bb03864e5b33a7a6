// Addresses, address spaces, and half-open byte ranges. Addresses of different spaces must not be compared: two devices may
// use the same number for different memory. Host, pinned and managed memory are one space.
#pragma once

#include <cstdint>

namespace dlscope::core {

using Address = std::uint64_t;

// kNoSpace: the data pointer is an opaque handle (Metal, OpenCL, Vulkan), not an address, and is never compared.
// kHostSpace: everything a CPU load reaches. Higher numbers are indices into Snapshot::spaces, one per device.
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
  // All of [a, a + bytes) lies in this range. Cannot overflow.
  [[nodiscard]] constexpr bool holds(Address a, std::uint64_t bytes) const { return contains(a) && bytes <= end - a; }
  // The ranges have a byte in common (if neither is empty).
  [[nodiscard]] constexpr bool meets(ByteRange other) const { return begin < other.end && other.begin < end; }
  friend constexpr bool operator==(ByteRange, ByteRange) = default;
};

}  // namespace dlscope::core
