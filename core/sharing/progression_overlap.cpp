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

// The progression and the rows in units, and what all residues have in common.
class ResidueCounts {
 public:
  ResidueCounts(const Progression& p, const RowsOfRuns& rows)
      : stride_(static_cast<std::int64_t>(p.stride)),
        modulus_(static_cast<std::int64_t>(rows.stride)),
        divisor_(std::gcd(stride_, modulus_)),
        step_(modulus_ / divisor_),
        inverse_(inverse_modulo(stride_ / divisor_, step_)),
        per_row_(rows.pitch / rows.stride),
        columns_per_step_(static_cast<std::uint64_t>(stride_ / divisor_) % per_row_),
        columns_(rows.columns) {}

  // Only these residues r modulo the rows' stride occur in `first` + k stride: the lowest one, and every divisor()-th.
  [[nodiscard]] std::int64_t lowest_residue(std::int64_t first) const {
    const std::int64_t residue = first % divisor_;
    return residue < 0 ? residue + divisor_ : residue;
  }
  [[nodiscard]] std::int64_t divisor() const { return divisor_; }

  // The k in [low, high] for which byte `first` + k stride of the rows has residue r, and lies in a row.
  [[nodiscard]] ProgressionCommon count(std::int64_t first, std::int64_t low, std::int64_t high, std::int64_t r) const {
    // Solves k stride = r - first (mod rows' stride): every step-th k.
    const std::int64_t residue = solve_with_inverse((r - first) / divisor_, inverse_, step_);
    std::int64_t ahead = (residue - low) % step_;
    if (ahead < 0) ahead += step_;
    const std::int64_t k = low + ahead;
    if (k > high) return {};
    const auto n = static_cast<std::uint64_t>((high - k) / step_) + 1;
    const std::uint64_t column = static_cast<std::uint64_t>((first + k * stride_) / modulus_) % per_row_;
    const std::uint64_t found = count_residues_below(n, per_row_, columns_per_step_, column, columns_);
    if (found == 0) return {};
    const std::uint64_t steps = first_residue_below(per_row_, columns_per_step_, column, columns_).value_or(0);
    return {found, static_cast<std::uint64_t>(k) + steps * static_cast<std::uint64_t>(step_)};
  }

 private:
  std::int64_t stride_, modulus_, divisor_, step_, inverse_;
  std::uint64_t per_row_, columns_per_step_, columns_;
};

}  // namespace

std::uint64_t floor_sums_needed(const Progression& p, const RowsOfRuns& rows, std::int64_t rows_offset) {
  const std::uint64_t unit = unit_of(p, rows, rows_offset);
  const std::uint64_t divisor = std::gcd(p.stride, rows.stride) / unit;
  const std::uint64_t residues = (rows.run / unit - 1) / divisor + 1;
  std::uint64_t sums = 0;
  const bool fits = !__builtin_mul_overflow(p.run / unit, residues, &sums) && !__builtin_mul_overflow(sums, 2, &sums);
  return fits ? sums : std::numeric_limits<std::uint64_t>::max();
}

ProgressionCommon common_with_rows(const Progression& progression, const RowsOfRuns& all_rows, std::int64_t rows_offset) {
  const std::uint64_t unit = unit_of(progression, all_rows, rows_offset);
  const Progression p{progression.stride / unit, progression.count, progression.run / unit};
  const RowsOfRuns rows{all_rows.pitch / unit, all_rows.count, all_rows.stride / unit, all_rows.columns, all_rows.run / unit};
  const std::int64_t offset = rows_offset / static_cast<std::int64_t>(unit);
  const auto stride = static_cast<std::int64_t>(p.stride);
  const auto behind = static_cast<std::int64_t>(rows.count * rows.pitch);
  const ResidueCounts residues(p, rows);
  ProgressionCommon common;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(p.run); ++i) {
    const std::int64_t first = i - offset;
    const std::int64_t low = std::max<std::int64_t>(0, ceil_div(-first, stride));
    const std::int64_t high = std::min(static_cast<std::int64_t>(p.count) - 1, floor_div(behind - 1 - first, stride));
    if (low > high) continue;
    for (std::int64_t r = residues.lowest_residue(first); r < static_cast<std::int64_t>(rows.run); r += residues.divisor()) {
      const ProgressionCommon found = residues.count(first, low, high, r);
      if (found.count == 0) continue;
      const std::uint64_t lowest = (found.lowest * p.stride + static_cast<std::uint64_t>(i)) * unit;
      common.lowest = common.count == 0 ? lowest : std::min(common.lowest, lowest);
      common.count += found.count * unit;
    }
  }
  return common;
}

}  // namespace dlscope::core
