// How the texels of a window are found: from a few values of each, or from every value. Both go on for pieces of time and write what
// they have into texels that hold the whole window.
// thread: one at a time.
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

// From a few values of each texel, row by row. What cannot be read is noted in the texel.
class SampleReading {
 public:
  virtual ~SampleReading() = default;
  virtual void advance(std::int64_t nanoseconds, Texels& out) = 0;
  [[nodiscard]] virtual std::int64_t rows_done() const = 0;
};

// From every value, line by line: a line is a row of texels, or a column of them.
class ExactReading {
 public:
  virtual ~ExactReading() = default;
  // Fails where a byte cannot be read, and cannot go on then.
  [[nodiscard]] virtual Result<void> advance(std::int64_t nanoseconds, Texels& out) = 0;
  [[nodiscard]] virtual bool complete() const = 0;
  // The texels of the lines [from, to).
  [[nodiscard]] virtual TexelRect lines(std::int64_t from, std::int64_t to) const = 0;
  [[nodiscard]] virtual std::int64_t lines_done() const = 0;
  // Values to read, and read so far.
  [[nodiscard]] virtual std::uint64_t places() const = 0;
  [[nodiscard]] virtual std::uint64_t places_done() const = 0;
};

// The sum of values next to the largest doubles may overflow, and be infinite or NaN. Then the middle between the least and the
// greatest stands for the mean.
[[nodiscard]] inline double mean_of(double sum, std::uint64_t count, double least, double greatest) {
  if (!std::isfinite(sum)) return least / 2 + greatest / 2;
  return std::clamp(sum / static_cast<double>(count), least, greatest);
}
[[nodiscard]] inline std::uint8_t special_flag(double value) {
  if (std::isnan(value)) return kTexelNan;
  return value > 0 ? kTexelPosInf : kTexelNegInf;
}

// What the values of one texel add up to.
struct TexelTotals {
  double least = 0, greatest = 0, sum = 0;
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
    least = count == 0 ? lowest : std::min(least, lowest);
    greatest = count == 0 ? highest : std::max(greatest, highest);
    sum += total;
    count += values;
  }
  void write(Texels& out, std::size_t texel) const {
    out.flags[texel] = count > 0 ? static_cast<std::uint8_t>(flags | kTexelFinite) : flags;
    out.least[texel] = least;
    out.greatest[texel] = greatest;
    out.mean[texel] = count == 0 ? 0 : mean_of(sum, count, least, greatest);
  }
};

// The cells of a texel that a sample reads: neighbours in a row or a column, from a place anywhere in the texel. Which ones looks like
// chance and depends on nothing but the texel, so that a picture does not flicker.
struct SampledCells {
  std::int64_t row = 0, column = 0, count = 0;
  std::uint64_t chance = 0;  // for what else is to be chosen
};
[[nodiscard]] SampledCells sampled_cells(const CellWindow& window, std::int64_t texel_row, std::int64_t texel_column,
                                         std::int64_t longest, bool across);
// A sample reads as many neighbours where they come for the price of one.
inline constexpr std::int64_t kMaxSampledCells = 8;

// The chosen elements as whole bytes, a packed one in the low bits; `room` holds those of packed ones.
[[nodiscard]] const std::byte* whole_values(const ElementBytes& elements, unsigned value_bits, std::vector<std::byte>& room);

}  // namespace dlscope::core
