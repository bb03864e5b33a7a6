// HeatmapTile: a square of texels of one level: their numbers, flags for special values, and how much is known so far. Numbers
// are stored as floats where every value of the tensor fits one, so that the tiles of a view take a few megabytes; for images
// always, whose pixels have 256 shades.
// thread: one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/models/heatmap/heatmap_request.h"
#include "core/reduce/texels.h"

namespace dlscope::app {

// Which number of a texel is drawn; for a texel of one cell all are equal.
enum class TexelNumber : std::uint8_t {
  mean,
  min,
  max,
  farthest,  // from 0: the min or the max number
  count
};
[[nodiscard]] const char* texel_number_name(TexelNumber number);  // "mean", "min", "max", "farthest from 0"

// The one that is farther from 0; when equally far, the max.
[[nodiscard]] double farther_from_0(double min, double max);

struct NumberRange {
  double low = 0, high = 0;
  bool any = false;
  std::uint8_t flags = 0;  // the union of their core::TexelFlag
  void include(const NumberRange& other);
  void include(double value);
};

enum class NumberWidth : std::uint8_t { floats, doubles };

// What is stored for each texel: min, max and mean, or for an image the mean of each channel.
struct TexelForm {
  NumberWidth width = NumberWidth::floats;
  std::uint8_t channels = 0;  // 0: not an image
  [[nodiscard]] std::size_t numbers() const { return channels == 0 ? 3 : channels; }
  [[nodiscard]] std::size_t bytes_of(std::size_t texels) const {
    return texels * (1 + numbers() * (width == NumberWidth::floats ? sizeof(float) : sizeof(double)));
  }
};

// For differences of two tensors: the difference of two floats need not be a float.
inline constexpr TexelForm kDifferenceForm{NumberWidth::doubles};

class HeatmapTile {
 public:
  // number: unique among all tiles.
  HeatmapTile(std::uint64_t number, TexelLevel level, std::int64_t row, std::int64_t column, const core::CellCounts& cells,
              TexelForm form);

  [[nodiscard]] std::uint64_t number() const { return number_; }

  [[nodiscard]] const TexelLevel& level() const { return level_; }
  [[nodiscard]] std::int64_t row() const { return row_; }  // position in the level's grid of tiles
  [[nodiscard]] std::int64_t column() const { return column_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }  // in texels
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] std::size_t size() const { return flags_.size(); }
  [[nodiscard]] std::size_t bytes() const { return form_.bytes_of(size()); }
  [[nodiscard]] NumberWidth width() const { return form_.width; }
  [[nodiscard]] std::size_t channels() const { return form_.channels; }  // 0: not an image

  // Begins another reading: texels that are not exact count as unknown again.
  void restart();
  // One texel; indices within the tile. A sample does not replace what is known.
  struct Texel {
    double min = 0, max = 0, mean = 0;  // valid with kTexelFinite
    std::uint8_t flags = 0;                    // 0: unknown, or there is no value
  };
  void put(std::int64_t row, std::int64_t column, const Texel& texel, core::TexelMethod method);
  // For an image: the mean of each channel, NaN when it has no finite value; flags: of all channels together.
  void put(std::int64_t row, std::int64_t column, std::span<const double> channels, std::uint8_t flags, core::TexelMethod method);

  [[nodiscard]] bool covers() const { return sampled_ >= size() || exact_ >= size(); }  // every texel is known
  [[nodiscard]] bool is_exact() const { return exact_ >= size(); }
  [[nodiscard]] std::size_t exact_texels() const { return exact_; }

  [[nodiscard]] Texel at(std::int64_t row, std::int64_t column) const { return at(index_of(row, column)); }
  [[nodiscard]] Texel at(std::size_t index) const;  // for an image only the flags
  [[nodiscard]] std::uint8_t flags(std::size_t index) const { return flags_[index]; }
  [[nodiscard]] double value(TexelNumber number, std::size_t index) const;  // not for an image
  [[nodiscard]] double channel(std::size_t channel, std::size_t index) const { return number(index * form_.numbers() + channel); }
  // Calls each() with that number of the texel, or with its channels' means: the numbers the colours are spread over. The texel
  // must be finite.
  template <class Each>
  void for_each_number(TexelNumber which, std::size_t index, Each each) const {
    if (form_.channels == 0) return each(value(which, index));
    for (std::size_t c = 0; c < form_.channels; ++c) {
      if (const double x = channel(c, index); x == x) each(x);
    }
  }
  [[nodiscard]] std::size_t index_of(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * columns_ + column);
  }
  [[nodiscard]] std::uint8_t all_flags() const { return all_flags_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }  // rises with each put()

 private:
  void put_numbers(std::size_t index, std::span<const double> numbers, std::uint8_t flags, core::TexelMethod method);
  [[nodiscard]] double number(std::size_t at) const { return doubles_.empty() ? static_cast<double>(floats_[at]) : doubles_[at]; }

  std::uint64_t number_;
  TexelForm form_;
  TexelLevel level_;
  std::int64_t row_, column_, rows_, columns_;
  std::vector<float> floats_;    // all numbers of the first texel, then of the second, ...
  std::vector<double> doubles_;  // in place of floats_
  std::vector<std::uint8_t> flags_;
  std::uint8_t all_flags_ = 0;
  std::size_t sampled_ = 0, exact_ = 0;
  std::uint64_t revision_ = 0;
};

[[nodiscard]] NumberRange range_of(const HeatmapTile& tile, TexelNumber number);

}  // namespace dlscope::app
