#include "core/transfer/strided_copy.h"

#include <array>
#include <cstring>

namespace dlscope::core {
bool copy_strided(const std::byte* from, LayoutView from_layout, std::byte* to, LayoutView to_layout, const CopyOptions&) {
  LayoutBounds bounds;
  (void)check_layout(to_layout, bounds);
  const std::uint32_t bits = to_layout.item_bits;
  for (std::uint64_t i = 0; i < bounds.elements; ++i) {
    const std::int64_t source = bit_offset_of(from_layout, i), target = bit_offset_of(to_layout, i);
    if (bits % 8 == 0 && source % 8 == 0 && target % 8 == 0) {
      std::memcpy(to + target / 8, from + source / 8, bits / 8);
      continue;
    }
    for (std::uint32_t b = 0; b < bits; ++b) {
      const std::int64_t s = source + b, t = target + b;
      const auto bit = static_cast<unsigned>(from[s >> 3] >> (s & 7)) & 1u;
      std::byte& byte = to[t >> 3];
      byte = (byte & ~(std::byte{1} << (t & 7))) | (static_cast<std::byte>(bit) << (t & 7));
    }
  }
  return true;
}
}  // namespace dlscope::core
