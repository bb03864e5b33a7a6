#include "core/sharing/progression_overlap.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/checked_math.h"
#include "core/sharing/floor_sum.h"
#include "core/sharing/modular.h"

namespace dlscope::core {
namespace {

std::uint64_t magnitude(std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? -value : value); }

std::uint64_t unit_of(const Progression& p, const RowsOfRuns& rows, std::int64_t rows_offset) {
  std::uint64_t unit = std::gcd(std::gcd(p.stride, p.run), std::gcd(rows.run, magnitude(rows_offset)));
  unit = std::gcd(unit, rows.stride);
  return std::gcd(unit, rows.pitch);
}

// The k in [low, high] for which byte `first + k stride` of the rows has residue r modulo the rows' stride, and lies in a row.
ProgressionCommon count_residue(const Progression& p, const RowsOfRuns& rows, std::int64_t first, std::int64_t low,
                                std::int64_t high, std::int64_t r) {
  const auto stride = static_cast<std::int64_t>(p.stride), modulus = static_cast<std::int64_t>(rows.stride);
  // Solves k stride = r - first (mod rows' stride): every step-th k, if there is any.
  const std::int64_t divisor = std::gcd(stride, modulus);
  const std::int64_t wanted = r - first;
  if (wanted % divisor != 0) return {};
  const std::int64_t step = modulus / divisor;
  std::int64_t k = low;
  if (step > 1) {
    const std::int64_t residue = solve_residue(wanted / divisor, stride / divisor, step);
    std::int64_t ahead = (residue - low) % step;
    if (ahead < 0) ahead += step;
    k = low + ahead;
  }
  if (k > high) return {};
  const auto n = static_cast<std::uint64_t>((high - k) / step) + 1;
  const std::uint64_t per_row = rows.pitch / rows.stride;
  const std::uint64_t column = static_cast<std::uint64_t>((first + k * stride) / modulus) % per_row;
  const std::uint64_t columns_per_step = static_cast<std::uint64_t>(stride / divisor) % per_row;
  const std::uint64_t count = count_residues_below(n, per_row, columns_per_step, column, rows.columns);
  if (count == 0) return {};
  const std::uint64_t steps = first_residue_below(per_row, columns_per_step, column, rows.columns).value_or(0);
  return {count, static_cast<std::uint64_t>(k) + steps * static_cast<std::uint64_t>(step)};
}

}  // namespace

std::uint64_t floor_sums_needed(const Progression& p, const RowsOfRuns& rows, std::int64_t rows_offset) {
  const std::uint64_t unit = unit_of(p, rows, rows_offset);
  std::uint64_t sums = 0;
  const bool fits = !__builtin_mul_overflow(p.run / unit, rows.run / unit, &sums) && !__builtin_mul_overflow(sums, 2, &sums);
  return fits ? sums : std::numeric_limits<std::uint64_t>::max();
}

ProgressionCommon common_with_rows(const Progression& progression, const RowsOfRuns& all_rows, std::int64_t rows_offset) {
  const std::uint64_t unit = unit_of(progression, all_rows, rows_offset);
  const Progression p{progression.stride / unit, progression.count, progression.run / unit};
  const RowsOfRuns rows{all_rows.pitch / unit, all_rows.count, all_rows.stride / unit, all_rows.columns, all_rows.run / unit};
  const std::int64_t offset = rows_offset / static_cast<std::int64_t>(unit);
  const auto stride = static_cast<std::int64_t>(p.stride);
  const auto behind = static_cast<std::int64_t>(rows.count * rows.pitch);
  ProgressionCommon common;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(p.run); ++i) {
    const std::int64_t first = i - offset;
    const std::int64_t low = std::max<std::int64_t>(0, ceil_div(-first, stride));
    const std::int64_t high = std::min(static_cast<std::int64_t>(p.count) - 1, floor_div(behind - 1 - first, stride));
    if (low > high) continue;
    for (std::int64_t r = 0; r < static_cast<std::int64_t>(rows.run); ++r) {
      const ProgressionCommon found = count_residue(p, rows, first, low, high, r);
      if (found.count == 0) continue;
      const std::uint64_t lowest = (found.lowest * p.stride + static_cast<std::uint64_t>(i)) * unit;
      common.lowest = common.count == 0 ? lowest : std::min(common.lowest, lowest);
      common.count += found.count * unit;
    }
  }
  return common;
}

}  // namespace dlscope::core
