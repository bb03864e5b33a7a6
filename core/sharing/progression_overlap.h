// The bytes that a progression of runs and rows of runs have in common, in closed form (floor_sum.h), for strides without a
// useful common divisor. Pure functions; thread: any.
#pragma once

#include <cstdint>

namespace dlscope::core {

// Runs of `run` bytes, `stride` apart.
struct Progression {
  std::uint64_t stride = 0, count = 0, run = 0;
};

// `count` rows, `pitch` bytes apart; each has `columns` runs of `run`
// bytes, `stride` apart. stride divides pitch; a row fits into pitch.
struct RowsOfRuns {
  std::uint64_t pitch = 0, count = 0;
  std::uint64_t stride = 0, columns = 0, run = 0;
};

struct ProgressionCommon {
  std::uint64_t count = 0;   // common bytes
  std::uint64_t lowest = 0;  // offset in the progression; meaningless when count is 0
};

// A progression and rows as common_with_rows() needs them: all numbers divided by `unit`, their common divisor.
struct ProgressionAndRows {
  Progression progression;
  RowsOfRuns rows;
  std::int64_t rows_offset = 0;
  std::uint64_t unit = 1;  // bytes
  // How many floor sums it takes: two for every unit of the progression's run and every residue of the rows' run that it can meet. A
  // few for usual layouts. Saturates: long runs without a common divisor would need more than 2^64.
  std::uint64_t sums = ~std::uint64_t{0};
};

// All in bytes. rows_offset: from the progression's first byte to that of the rows.
[[nodiscard]] ProgressionAndRows in_units(const Progression& progression, const RowsOfRuns& rows, std::int64_t rows_offset);

// In units, "byte" meaning a unit: byte i of run k of the progression has the offset
// x = k stride + i - rows_offset in the rows. It is in a row if 0 <= x < count pitch, x mod stride < run and
// (x / stride) mod (pitch / stride) < columns (with the rows' numbers). For each residue r < run of x modulo the rows' stride,
// the k with that residue form a progression, and floor sums count those that satisfy the last condition. The result is in bytes.
[[nodiscard]] ProgressionCommon common_with_rows(const ProgressionAndRows& in_units);

}  // namespace dlscope::core
