// What a picture of two tensors shows of a pair of values.
#pragma once

#include <cstdint>

namespace dlscope::core {

enum class DifferenceKind : std::uint8_t {
  difference,  // a - b; of complex values the magnitude of it
  absolute,    // |a - b|
  relative,    // |a - b| / |b|
  unequal,     // 1 where a and b are different values, 0 where they are equal
  count
};

}  // namespace dlscope::core
