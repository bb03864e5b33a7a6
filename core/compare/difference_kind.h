// What the picture of a comparison shows for each pair of values.
#pragma once

#include <cstdint>

namespace dlscope::core {

enum class DifferenceKind : std::uint8_t {
  difference,  // a - b; |a - b| if complex
  absolute,    // |a - b|
  relative,    // |a - b| / |b|
  unequal,     // 1 where a and b are different values, 0 where they are equal
  count
};

}  // namespace dlscope::core
