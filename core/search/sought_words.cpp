#include "core/search/sought_words.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/search/sought_number.h"

namespace dlscope::core {

WordRanges words_of_part(DType dtype, double wanted) {
  const std::uint64_t magnitudes = (std::uint64_t{1} << (dtype.bits - 1)) - 1;
  if (std::isnan(wanted)) {
    const std::uint64_t infinity = magnitudes & ~((std::uint64_t{1} << ieee_fraction_bits(dtype)) - 1);
    return WordRanges::one(magnitudes, infinity + 1, magnitudes);
  }
  if (wanted == 0) return WordRanges::one(magnitudes, 0, 0);
  const std::uint64_t bits = bits_of(dtype, wanted);
  return WordRanges::one(~std::uint64_t{0}, bits, bits);
}

std::optional<WordRanges> ranges_of_bytes(const std::array<bool, 256>& hits, unsigned bits) {
  WordRanges out{.mask = (std::uint64_t{1} << bits) - 1};
  std::size_t runs = 0;
  for (std::size_t at = 0; at < hits.size(); ++at) {
    if (hits[at] != hits[at & out.mask]) return std::nullopt;
    if (!hits[at] || at > out.mask) continue;
    if (at > 0 && hits[at - 1]) {
      ++out.span[runs - 1];
      continue;
    }
    if (runs == out.low.size()) return std::nullopt;
    out.low[runs++] = at;
  }
  if (runs == 1) out.low[1] = out.low[0], out.span[1] = out.span[0];
  if (runs == 0) return WordRanges{};
  return out;
}

}  // namespace dlscope::core
