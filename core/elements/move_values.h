// Loops that gather strided values into a contiguous array. Both sides are memory of this process that may be read and written; they do
// not overlap. Strides are in bytes and may be negative. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::core {

// `count` values of `bytes` each, `stride` bytes apart.
void copy_values(std::size_t bytes, const std::byte* from, std::int64_t stride, std::uint64_t count, std::byte* to);

// A table of values: `stretches` rows of `count` values. `along`: bytes from a value to the next one in its row; `across`: from a row
// to the next one.
struct Stretches {
  const std::byte* from = nullptr;
  std::int64_t across = 0, along = 0;
  std::uint64_t stretches = 0, count = 0;
};

// Writes column by column: the first value of each row, then the second of each, and so on. False, and nothing is written: there is
// no loop for values of that size (1, 2, 4, 8 and 16 bytes have one).
bool transpose_values(std::size_t bytes, const Stretches& all, std::byte* to);
// Writes row by row. False: as transpose_values().
bool copy_rows(std::size_t bytes, const Stretches& rows, std::byte* to);

// Copies `width` bits, from bit `bit` of `base` on (bit 0: the lowest of the first byte), to (width + 7) / 8 bytes.
void copy_bits(const std::byte* base, std::uint64_t bit, unsigned width, std::byte* to);
// Unpacks `count` 4-bit values, two in a byte with the lower half first, to a byte each.
void split_nibbles(const std::byte* from, std::uint64_t count, std::byte* to);

}  // namespace dlscope::core
