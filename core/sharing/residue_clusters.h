// Views that interleave without meeting, such as the columns of a matrix: kept apart by where they lie between two multiples
// of a number that divides all their outer strides. Only views whose residues meet need be compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlscope::core {

// The residues [begin, begin + length) modulo some number; begin < modulus, 0 < length < modulus; may reach beyond the modulus,
// and goes on at 0 then.
struct ResidueSpan {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint32_t owner = 0;
};

// The owners of spans that hang together, each cluster ascending: spans of different clusters have no residue in common.
// Sorts `spans`; the result borrows `owners`, which is overwritten.
[[nodiscard]] std::vector<std::span<const std::uint32_t>> clusters_of_residues(std::vector<ResidueSpan>& spans,
                                                                               std::uint64_t modulus,
                                                                               std::vector<std::uint32_t>& owners);

}  // namespace dlscope::core
