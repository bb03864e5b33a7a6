// Loops over the words of bit sets: OR and counting. Each is compiled twice, for the baseline instruction set and for AVX2, and
// chosen at run time (core/base/instruction_sets.h). Not by Highway as other loops (core/base/kernel_targets.h): they are nothing
// but AND, OR, XOR, shifts and additions of whole words, which the compiler's own vector types express in one body for both, and
// nothing else of this folder needs vectors. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

// to[i] |= (from << shift)[i] for i in [0, n), shift < 64; from[-1] is read. `to` and `from` do not overlap.
void or_shifted(std::uint64_t* to, const std::uint64_t* from, std::size_t n, unsigned shift);

// How many bits are set.
[[nodiscard]] std::uint64_t count_bits(std::span<const std::uint64_t> words);
// How many bits are set in a AND b, which have the same length.
[[nodiscard]] std::uint64_t count_common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);
// How many of `bits` bits are set in both a (from bit a_first on) and
// b (from bit b_first on). Up to two words after the last are read.
[[nodiscard]] std::uint64_t count_common_bits(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b,
                                              std::uint64_t b_first, std::uint64_t bits);
// The number, counted from a_first, of the lowest bit that is set in both. There must be one.
[[nodiscard]] std::uint64_t lowest_common_bit(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b,
                                              std::uint64_t b_first);

}  // namespace dlscope::core
