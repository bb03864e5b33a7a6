// Loops over the words of bit sets: OR, and counting. Each is compiled twice, for the machine every build runs on and for
// AVX2, and the processor chooses. With DLSCOPE_SIMD=baseline in the environment AVX2 is left alone (to measure it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

// to[i] |= (from << shift)[i] for i in [0, n), shift < 64; from[-1] is read. `to` and `from` do not overlap.
void or_shifted(std::uint64_t* to, const std::uint64_t* from, std::size_t n, unsigned shift);

[[nodiscard]] std::uint64_t count_bits(std::span<const std::uint64_t> words);
// Of a AND b; both of one length.
[[nodiscard]] std::uint64_t count_common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);
// Of `bits` bits of a from bit a_first on AND as many of b from bit b_first on. Two words behind the last are read.
[[nodiscard]] std::uint64_t count_common_bits(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b,
                                              std::uint64_t b_first, std::uint64_t bits);
// Of the lowest bit set in both, counted from a_first; there is one.
[[nodiscard]] std::uint64_t lowest_common_bit(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b,
                                              std::uint64_t b_first);

}  // namespace dlscope::core
