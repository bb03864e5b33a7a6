// The kernel that gathers scattered pieces of a device's memory: thread i copies byte i of the result.
#pragma once

#include <cstdint>

#include "core/devices/kernels/on_both.h"

namespace dlscope::core::kernels {

struct Gather {
  std::uint64_t addresses;  // device address of an array of `pieces` 64-bit addresses
  std::uint64_t to;         // device address of the result
  std::uint64_t pieces;
  std::uint32_t each;  // bytes of a piece
};

// The address of byte i of the result. addresses: the array, as a pointer that is readable from where this runs.
DLSCOPE_ON_BOTH inline std::uint64_t place_of_byte(const Gather& gather, const std::uint64_t* addresses, std::uint64_t i) {
  const std::uint64_t piece = i / gather.each;
  return addresses[piece] + (i - piece * gather.each);
}

}  // namespace dlscope::core::kernels
