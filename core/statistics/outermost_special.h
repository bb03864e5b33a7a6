// The first and the last place of a stretch whose value is special. The values may be changed meanwhile by whoever owns them: then
// a place may be named that is special no longer, but never one outside the stretch.
// Pure functions; thread: any.
#pragma once

#include <cstdint>

namespace dlscope::core {

// Of the places [begin, end) in steps of `step`; `end` or beyond: none is.
template <class IsSpecial>
std::uint64_t first_special(std::uint64_t begin, std::uint64_t end, std::uint64_t step, const IsSpecial& is_special) {
  while (begin < end && !is_special(begin)) begin += step;
  return begin;
}

// The same, begin < end; `begin` where no other is, which has been found to be special before.
template <class IsSpecial>
std::uint64_t last_special(std::uint64_t begin, std::uint64_t end, std::uint64_t step, const IsSpecial& is_special) {
  std::uint64_t at = begin + (end - 1 - begin) / step * step;
  while (at > begin && !is_special(at)) at -= step;
  return at;
}

}  // namespace dlscope::core
