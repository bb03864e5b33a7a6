// The kernel that brings pieces from all over a device's memory together: thread i moves byte i of the result.
#pragma once

#include <cstdint>

#include "core/devices/kernels/on_both.h"

namespace dlscope::core::kernels {

struct Gather {
  std::uint64_t addresses;  // of `pieces` 64-bit addresses, on the device
  std::uint64_t to;
  std::uint64_t pieces;
  std::uint32_t each;  // bytes of a piece
};

// Where byte i of the result comes from; addresses: those of Gather, as they can be read here.
DLSCOPE_ON_BOTH inline std::uint64_t place_of_byte(const Gather& gather, const std::uint64_t* addresses, std::uint64_t i) {
  const std::uint64_t piece = i / gather.each;
  return addresses[piece] + (i - piece * gather.each);
}

}  // namespace dlscope::core::kernels
