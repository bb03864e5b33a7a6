// The request and the result of a search for a value in a tensor. Plain data, sent over the wire.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

enum class SearchedValue : std::uint8_t {
  special,     // NaN, an infinity, a subnormal, a bool that is neither 0 nor 1
  non_finite,  // the same without subnormals
  subnormal,
  nan,
  infinite,  // of either sign
  equal,     // to a given number, rounded to the dtype as IEEE 754 rounds (to nearest, ties to even); 0 finds -0 too
};

struct ValueMatches {
  std::uint64_t matches = 0;  // in values: each lane of a vector element is one
  // C-order indices of elements: of the first match; of the first match at or after FindValue::from. nullopt: there is none.
  std::optional<std::uint64_t> first, next;
  std::uint64_t searched = 0, unreadable = 0;  // in values
};

}  // namespace dlscope::core
