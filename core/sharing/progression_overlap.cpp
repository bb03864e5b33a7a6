#include "core/sharing/progression_overlap.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "core/base/checked_math.h"
#include "core/sharing/floor_sum.h"
#include "core/sharing/modular.h"

namespace dlscope::core {
namespace {

std::uint64_t magnitude(std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? -value : value); }

std::uint64_t unit_of(const Progression& p, const RowsOfRuns& rows, std::int64_t rows_offset) {
  return common_divisor(std::min(p.run, rows.run), {p.run, rows.run, p.stride, rows.stride, rows.pitch, magnitude(rows_offset)});
}

std::uint64_t divisor_of_strides(const Progression& p, const RowsOfRuns& rows) {
  return common_divisor(std::min(p.stride, rows.stride), {std::max(p.stride, rows.stride)});
}

// The progression and the rows in units, and what all residues have in common.
class ResidueCounts {
 public:
  ResidueCounts(const Progression& p, const RowsOfRuns& rows)
      : stride_(static_cast<std::int64_t>(p.stride)),
        modulus_(static_cast<std::int64_t>(rows.stride)),
        divisor_(static_cast<std::int64_t>(divisor_of_strides(p, rows))),
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

ProgressionAndRows in_units(const Progression& p, const RowsOfRuns& rows, std::int64_t rows_offset) {
  const std::uint64_t unit = unit_of(p, rows, rows_offset);
  const auto divided = [unit, bits = std::countr_zero(unit), is_power = std::has_single_bit(unit)](std::uint64_t bytes) {
    return is_power ? bytes >> bits : bytes / unit;  // almost always one, and there are several divisions to save
  };
  const std::uint64_t distance = divided(magnitude(rows_offset));
  ProgressionAndRows out{{divided(p.stride), p.count, divided(p.run)},
                         {divided(rows.pitch), rows.count, divided(rows.stride), rows.columns, divided(rows.run)},
                         rows_offset < 0 ? -static_cast<std::int64_t>(distance) : static_cast<std::int64_t>(distance),
                         unit};
  const std::uint64_t residues =
      out.rows.run == 1 ? 1 : (out.rows.run - 1) / divisor_of_strides(out.progression, out.rows) + 1;
  std::uint64_t sums = 0;
  if (!__builtin_mul_overflow(out.progression.run, residues, &sums) && !__builtin_mul_overflow(sums, 2, &sums)) out.sums = sums;
  return out;
}

ProgressionCommon common_with_rows(const ProgressionAndRows& in_units) {
  const Progression& p = in_units.progression;
  const RowsOfRuns& rows = in_units.rows;
  const std::int64_t offset = in_units.rows_offset;
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
      const std::uint64_t lowest = (found.lowest * p.stride + static_cast<std::uint64_t>(i)) * in_units.unit;
      common.lowest = common.count == 0 ? lowest : std::min(common.lowest, lowest);
      common.count += found.count * in_units.unit;
    }
  }
  return common;
}

}  // namespace dlscope::core
