// Separates views that interleave without sharing bytes, such as the columns of a matrix, by their residues modulo a number that
// divides all their outer strides. Only views whose residues meet need to be compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlscope::core {

// The residues [begin, begin + length) of one view; begin < modulus, 0 <
// length < modulus. A span that goes beyond the modulus wraps around to 0.
struct ResidueSpan {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint32_t owner = 0;  // number of the view
};

// Groups the spans into clusters; spans of different clusters have no residue in common. Returns the owners of each cluster,
// ascending. Sorts `spans`; the result refers to `owners`, which is overwritten.
[[nodiscard]] std::vector<std::span<const std::uint32_t>> clusters_of_residues(std::vector<ResidueSpan>& spans,
                                                                               std::uint64_t modulus,
                                                                               std::vector<std::uint32_t>& owners);

}  // namespace dlscope::core
