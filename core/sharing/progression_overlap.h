// A progression of runs against rows of runs whose strides have nothing useful in common, in closed form (floor_sum.h).
#pragma once

#include <cstdint>

namespace dlscope::core {

// Runs of `run` bytes, `stride` apart.
struct Progression {
  std::uint64_t stride = 0, count = 0, run = 0;
};

// `count` rows, `pitch` apart; each is `columns` runs of `run` bytes, `stride` apart. stride divides pitch; a row fits its pitch.
struct RowsOfRuns {
  std::uint64_t pitch = 0, count = 0;
  std::uint64_t stride = 0, columns = 0, run = 0;
};

struct ProgressionCommon {
  std::uint64_t count = 0;   // common bytes
  std::uint64_t lowest = 0;  // offset in the progression; meaningless when count is 0
};

// How many floor sums common_with_rows() takes: one for every two bytes of the runs that can meet, in units that all strides
// and runs and the offset have in common. A few for the usual layouts.
[[nodiscard]] std::uint64_t floor_sums_needed(const Progression& progression, const RowsOfRuns& rows, std::int64_t rows_offset);

// `rows_offset`: from the progression's first byte to the rows'. A byte i of run k lies at x = k stride + i - rows_offset of
// the rows, and in one of them when 0 <= x < count pitch, x mod stride < run and (x / stride) mod (pitch / stride) < columns.
// For each residue r < run that x can have modulo the rows' stride the k form a progression again, and one of floor sums says
// how many of them have the last property.
[[nodiscard]] ProgressionCommon common_with_rows(const Progression& progression, const RowsOfRuns& rows,
                                                 std::int64_t rows_offset);

}  // namespace dlscope::core
