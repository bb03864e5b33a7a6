// The loops that bring strided values together: from where they lie to one after another. Plain memory on both sides. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::core {

// `count` values of `bytes` each, `stride` bytes apart.
void copy_values(std::size_t bytes, const std::byte* from, std::int64_t stride, std::uint64_t count, std::byte* to);

// Stretches of `count` values, `along` bytes apart; each begins `across` bytes behind the one before.
struct Stretches {
  const std::byte* from = nullptr;
  std::int64_t across = 0, along = 0;
  std::uint64_t stretches = 0, count = 0;
};

// The first value of each stretch one after another, then the second ones, and so on. False: there is no loop for values of that size
// (1, 2, 4, 8 and 16 bytes have one).
bool transpose_values(std::size_t bytes, const Stretches& all, std::byte* to);
// The values of the first stretch one after another, then those of the second, and so on. False: as transpose_values().
bool copy_rows(std::size_t bytes, const Stretches& rows, std::byte* to);

// `width` bits from bit `bit` on, to whole bytes, lowest first.
void copy_bits(const std::byte* base, std::uint64_t bit, unsigned width, std::byte* to);
// Two values a byte, from a byte's start.
void split_nibbles(const std::byte* from, std::uint64_t count, std::byte* to);

}  // namespace dlscope::core
