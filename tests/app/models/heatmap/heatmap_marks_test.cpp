// The marks of NaN and infinities in a heat map's pixels, where special values of several kinds lie side by side.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "app/models/heatmap/colour_maps.h"
#include "app/models/heatmap/heatmap_text.h"
#include "tests/app/models/heatmap/drawn_heatmap.h"

namespace dlscope::app {
namespace {

using Drawn = tests::DrawnHeatmap;

const float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

HeatmapPainter::Look marking_look() {
  HeatmapPainter::Look look;
  look.inks.table = &colour_table(ColourMap::grey);
  look.inks.scale = ColourScale(0, 1);
  look.inks.nan = 0xFF00FF00;
  look.inks.pos_inf = 0xFF0000FF;
  look.inks.neg_inf = 0xFFFF0000;
  look.ground = 0xFF800000;
  look.least_special = 4;
  return look;
}

std::uint32_t pixel_of(const Drawn& drawn, const std::vector<std::uint32_t>& pixels, std::int64_t row, std::int64_t column) {
  const auto at = [](const AxisView& view, const AxisLimits& limits, std::int64_t cell) {
    return std::min((view.x_of(cell) + view.x_of(cell + 1)) / 2, limits.room - 1);
  };
  const auto y = static_cast<std::size_t>(at(drawn.camera.rows, drawn.camera.row_limits, row)),
             x = static_cast<std::size_t>(at(drawn.camera.columns, drawn.camera.column_limits, column));
  return pixels[y * static_cast<std::size_t>(drawn.camera.column_limits.room) + x];
}

// -inf above the diagonal, as the mask of causal attention has it.
std::vector<float> causal_mask(std::int64_t side) {
  std::vector<float> mask(static_cast<std::size_t>(side * side));
  for (std::int64_t row = 0; row < side; ++row)
    for (std::int64_t column = row + 1; column < side; ++column) mask[static_cast<std::size_t>(row * side + column)] = -kInf;
  return mask;
}

TEST_CASE("a lone NaN among the infinities of a mask is seen, sample or not", "[models][heatmap]") {
  constexpr std::int64_t kSide = 5000, kRow = 1237, kColumn = 3791;
  constexpr std::uint64_t kAll = kSide * kSide;
  std::vector<float> mask = causal_mask(kSide);
  mask[kRow * kSide + kColumn] = kNan;
  const core::Layout layout = core::Layout::c_order({kSide, kSide}, 32);
  const HeatmapPainter::Look look = marking_look();

  Drawn sampled(mask.data(), "float32", layout, 500, 500);
  sampled.most_exact = 1 << 20;
  static_cast<void>(sampled.settle());
  CHECK(std::ranges::count(sampled.painted(look), look.inks.nan) == 0);  // else this test says nothing
  CHECK(sampled.read_in_background(kAll) > 0);
  CHECK_FALSE(sampled.known().is_exact());
  CHECK(coverage(sampled.known(), kAll, true, true).text == "sample: a few values of each pixel; every NaN and infinity marked");
  CHECK(pixel_of(sampled, sampled.painted(look), kRow, kColumn) == look.inks.nan);

  Drawn exact(mask.data(), "float32", layout, 500, 500);
  static_cast<void>(exact.settle());
  CHECK(exact.known().is_exact());
  CHECK(std::ranges::count(exact.painted(look), look.inks.nan) == look.least_special * look.least_special);
}

TEST_CASE("a texel with a NaN has the NaN's colour whatever lies around it", "[models][heatmap]") {
  constexpr std::int64_t kSide = 240;
  std::mt19937 chance(20261128);
  for (const bool frames : {false, true}) {
    for (const int room : {240, 400, 120}) {  // pixels for 240 cells: one each, fractions, texels of several cells
      std::vector<float> values(kSide * kSide);
      for (float& value : values) {
        const auto kind = chance() % 100;
        value = kind == 0 ? kNan : kind < 45 ? -kInf : kind < 90 ? kInf : 0.5F;
      }
      Drawn drawn(values.data(), "float32", core::Layout::c_order({kSide, kSide}, 32), room, room);
      static_cast<void>(drawn.settle());
      REQUIRE(drawn.known().is_exact());
      HeatmapPainter::Look look = marking_look();
      look.frames = frames;
      const auto pixels = drawn.painted(look);
      std::int64_t covered = 0;
      for (std::int64_t row = 0; row < kSide; ++row)
        for (std::int64_t column = 0; column < kSide; ++column)
          if (std::isnan(values[static_cast<std::size_t>(row * kSide + column)]))
            covered += pixel_of(drawn, pixels, row, column) != look.inks.nan ? 1 : 0;
      INFO(room << " pixels, frames: " << frames);
      CHECK(covered == 0);
    }
  }
}

TEST_CASE("a lone infinity among those of the other sign is seen", "[models][heatmap]") {
  constexpr std::int64_t kSide = 300, kRow = 131, kColumn = 77;
  const HeatmapPainter::Look look = marking_look();
  for (const float many : {kInf, -kInf}) {
    for (const int room : {300, 100}) {
      std::vector<float> values(kSide * kSide, many);
      values[kRow * kSide + kColumn] = -many;
      values[0] = 0.5F;
      Drawn drawn(values.data(), "float32", core::Layout::c_order({kSide, kSide}, 32), room, room);
      static_cast<void>(drawn.settle());
      const auto pixels = drawn.painted(look);
      INFO(many << " in " << room << " pixels");
      CHECK(pixel_of(drawn, pixels, kRow, kColumn) == (many > 0 ? look.inks.neg_inf : look.inks.pos_inf));
    }
  }
}

}  // namespace
}  // namespace dlscope::app
