// What is asked when somebody looks for a value in a tensor, and what is answered. Plain data: it travels the wire.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

enum class SearchedValue : std::uint8_t {
  special,  // NaN, an infinity, a subnormal, a bool that is neither 0 nor 1
  nan,
  infinite,  // of either sign
  equal,     // to a given number, rounded to the dtype as IEEE 754 rounds (to nearest, ties to even); 0 finds -0 too
};

struct ValueMatches {
  std::uint64_t matches = 0;  // values: each lane of a vector element is one
  std::optional<std::uint64_t> first,
      next;  // C-order numbers: of the first match; of the first at or behind where the search began
  std::uint64_t searched = 0, unreadable = 0;  // values
};

}  // namespace dlscope::core
