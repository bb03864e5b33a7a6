// How the texels of a window are found, line by line: from a few values of each, or from every value. Both write what they have into
// texels that hold the whole window.
// thread: one at a time; several readings of one window beside each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/elements/element_bytes.h"
#include "core/reduce/cell_axes.h"
#include "core/reduce/texels.h"

namespace dlscope::core {

// A line is a row of texels, or a column of them.
class LineReading {
 public:
  virtual ~LineReading() = default;
  // Lines there are, and how many of them are worked out together, the last ones perhaps fewer.
  [[nodiscard]] virtual std::int64_t line_count() const = 0;
  [[nodiscard]] virtual std::int64_t together() const { return 1; }
  // The texels of the lines [from, to).
  [[nodiscard]] virtual TexelRect lines(std::int64_t from, std::int64_t to) const = 0;
  // What is worked out from here on: the lines from `line` on, a multiple of together().
  virtual void begin(std::int64_t line) = 0;
  // Goes on until that time (monotonic_ns), if only for a moment; true: these lines are done, and their texels written. A sample notes in
  // a texel what cannot be read; an exact reading fails, and cannot go on then.
  [[nodiscard]] virtual Result<bool> advance(std::int64_t ends, Texels& out) = 0;
  // Of an exact reading: values read so far, of all lines.
  [[nodiscard]] virtual std::uint64_t places_done() const { return 0; }
};

// The sum of values next to the largest doubles may overflow, and be infinite or NaN. Then the middle between the min and the
// max stands for the mean.
[[nodiscard]] inline double mean_of(double sum, std::uint64_t count, double min, double max) {
  if (!std::isfinite(sum)) return min / 2 + max / 2;
  return std::clamp(sum / static_cast<double>(count), min, max);
}
[[nodiscard]] inline std::uint8_t special_flag(double value) {
  if (std::isnan(value)) return kTexelNan;
  return value > 0 ? kTexelPosInf : kTexelNegInf;
}

// What the values of one texel add up to.
struct TexelTotals {
  double min = 0, max = 0, sum = 0;
  std::uint64_t count = 0;  // of finite values
  std::uint8_t flags = 0;

  void add(double value) {
    if (std::isfinite(value))
      add(value, value, value, 1);
    else
      flags |= special_flag(value);
  }
  // Several finite values, at least one.
  void add(double lowest, double highest, double total, std::uint64_t values) {
    min = count == 0 ? lowest : std::min(min, lowest);
    max = count == 0 ? highest : std::max(max, highest);
    sum += total;
    count += values;
  }
  void write(Texels& out, std::size_t texel) const {
    out.flags[texel] = count > 0 ? static_cast<std::uint8_t>(flags | kTexelFinite) : flags;
    out.min[texel] = min;
    out.max[texel] = max;
    out.mean[texel] = count == 0 ? 0 : mean_of(sum, count, min, max);
  }
};

// The cells of a texel that a sample reads: neighbours in a row or a column, from a place anywhere in the texel. Which ones looks like
// chance and depends on nothing but the texel, so that a picture does not flicker. together: so many neighbouring texels have their
// cells in the same row (column), and the same chance.
struct SampledCells {
  std::int64_t row = 0, column = 0, count = 0;
  std::uint64_t chance = 0;  // for what else is to be chosen
};
[[nodiscard]] SampledCells sampled_cells(const CellWindow& window, std::int64_t texel_row, std::int64_t texel_column,
                                         std::int64_t longest, bool across, std::int64_t together = 1);
// A sample reads as many neighbours where they come for the price of one.
inline constexpr std::int64_t kMaxSampledCells = 8;

// The texels of these rows.
[[nodiscard]] inline TexelRect rows_of(const CellWindow& window, std::int64_t from, std::int64_t to) {
  return {static_cast<std::uint32_t>(from), 0, static_cast<std::uint32_t>(to - from), static_cast<std::uint32_t>(window.texel_columns())};
}

// The chosen elements as whole bytes, a packed one in the low bits; `room` holds those of packed ones.
[[nodiscard]] const std::byte* whole_values(const ElementBytes& elements, unsigned value_bits, std::vector<std::byte>& room);

}  // namespace dlscope::core
