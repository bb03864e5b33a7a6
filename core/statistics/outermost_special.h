// Finds the first and the last of some places whose value is special (NaN or infinite). Another thread may change the values meanwhile:
// then the result may be a place that is no longer special, but always one of those asked about.
// Pure functions; thread: any.
#pragma once

#include <cstdint>

namespace dlscope::core {

// The first special one of begin, begin + step, ... below `end`. A result of `end` or more: there is none.
template <class IsSpecial>
std::uint64_t first_special(std::uint64_t begin, std::uint64_t end, std::uint64_t step, const IsSpecial& is_special) {
  while (begin < end && !is_special(begin)) begin += step;
  return begin;
}

// The last special one of them. begin < end, and `begin` itself is known to be special: it is the result if no other is.
template <class IsSpecial>
std::uint64_t last_special(std::uint64_t begin, std::uint64_t end, std::uint64_t step, const IsSpecial& is_special) {
  std::uint64_t at = begin + (end - 1 - begin) / step * step;
  while (at > begin && !is_special(at)) at -= step;
  return at;
}

}  // namespace dlscope::core
