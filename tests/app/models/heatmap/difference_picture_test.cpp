// The picture of a difference as pixels: what is equal has one colour that nothing else has, and one pair that differs is seen at every zoom.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/app/models/heatmap/drawn_heatmap.h"

namespace dlscope::tests {
namespace {

using core::DifferenceKind;

app::HeatmapPainter::Look look_of(DifferenceKind kind, double most) {
  const bool is_signed = kind == DifferenceKind::difference;
  app::HeatmapPainter::Look look{.number = app::TexelNumber::farthest, .inks = {}, .ground = 0xFF101010U, .least_special = 4};
  look.inks.table = &app::colour_table(is_signed ? app::ColourMap::diverging : app::ColourMap::viridis);
  look.inks.scale = app::ColourScale(is_signed ? -most : 0, most);
  look.inks.nan = 0xFF0000FFU;
  look.inks.pos_inf = 0xFF00FF00U;
  look.inks.neg_inf = 0xFFFF0000U;
  look.inks.equal = (*look.inks.table)[is_signed ? 127 : 0];
  return look;
}

}  // namespace

TEST_CASE("one pair that differs by next to nothing is seen at every zoom, whatever the kind, and no equal one is",
          "[models][compare]") {
  constexpr std::int64_t kRows = 3000, kColumns = 2500, kRow = 1717, kColumn = 333;
  std::vector<float> a(kRows * kColumns, 1), b = a;
  b[kRow * kColumns + kColumn] = 1 + 1e-6F;
  const core::Layout layout = core::Layout::c_order({kRows, kColumns}, 32);
  for (const DifferenceKind kind :
       {DifferenceKind::difference, DifferenceKind::absolute, DifferenceKind::relative, DifferenceKind::unequal}) {
    DrawnHeatmap drawn(a.data(), "float32", layout, 400, 500);
    drawn.subtract(b.data(), "float32", layout, kind);
    const app::HeatmapPainter::Look look = look_of(kind, 1000);  // the difference is a millionth of a millionth of the colours
    for (int zoom = 0; zoom < 9; ++zoom) {
      INFO("kind " << static_cast<int>(kind) << " zoom " << zoom);
      drawn.settle();
      REQUIRE(drawn.known().is_exact());
      const auto pixels = drawn.painted(look);
      // Where the pair lies, in pixels: nothing else differs, so that what is coloured lies around it.
      const double x = drawn.camera.columns.x_of(kColumn), y = drawn.camera.rows.x_of(kRow);
      int coloured = 0;
      for (int line = 0; line < 400; ++line) {
        for (int column = 0; column < 500; ++column) {
          const std::uint32_t pixel = pixels[static_cast<std::size_t>(line * 500 + column)];
          if (pixel == look.inks.equal || pixel == look.ground) continue;
          ++coloured;
          const double right = drawn.camera.columns.x_of(kColumn + 1), below = drawn.camera.rows.x_of(kRow + 1);
          CHECK((column >= x - 12 && column <= right + 12 && line >= y - 12 && line <= below + 12));
        }
      }
      CHECK(coloured >= 9);
      drawn.camera.columns.zoom(drawn.camera.column_limits, x, 2);
      drawn.camera.rows.zoom(drawn.camera.row_limits, y, 2);
    }
  }
}

TEST_CASE("a pair that is known to differ from reading all of them stays in sight below a finer sample", "[models][compare]") {
  constexpr std::int64_t kSide = 4200;  // more than is read without a sample first
  std::vector<std::uint8_t> a(kSide * kSide, 3), b = a;
  b[2000 * kSide + 1999] = 4;
  const core::Layout layout = core::Layout::c_order({kSide, kSide}, 8);
  DrawnHeatmap drawn(a.data(), "uint8", layout, 300, 300);
  drawn.subtract(b.data(), "uint8", layout, DifferenceKind::absolute);
  drawn.settle();
  REQUIRE(drawn.known().is_exact());
  drawn.most_exact = 1;  // from here on samples
  drawn.camera.columns.zoom(drawn.camera.column_limits, drawn.camera.columns.x_of(1999), 4);
  drawn.camera.rows.zoom(drawn.camera.row_limits, drawn.camera.rows.x_of(2000), 4);
  drawn.settle();
  REQUIRE_FALSE(drawn.known().is_exact());
  const app::HeatmapPainter::Look look = look_of(DifferenceKind::absolute, 1);
  const auto pixels = drawn.painted(look);
  CHECK(std::ranges::any_of(pixels, [&](std::uint32_t pixel) { return pixel != look.inks.equal && pixel != look.ground; }));
}

TEST_CASE("where all pairs differ every pixel keeps its own colour; NaN on one side and infinities have theirs",
          "[models][compare]") {
  constexpr std::int64_t kSide = 64;
  std::vector<double> a(kSide * kSide, 5), b(kSide * kSide);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 2 == 0 ? 4 : 8;  // + 1 and - 3
  a[0] = std::numeric_limits<double>::quiet_NaN();
  a[10] = std::numeric_limits<double>::infinity();
  const core::Layout layout = core::Layout::c_order({kSide, kSide}, 64);
  DrawnHeatmap drawn(a.data(), "float64", layout, 640, 640);
  drawn.subtract(b.data(), "float64", layout, DifferenceKind::difference);
  drawn.settle();
  const app::HeatmapPainter::Look look = look_of(DifferenceKind::difference, 3);
  const auto pixels = drawn.painted(look);
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return pixels[static_cast<std::size_t>((drawn.camera.rows.x_of(row) + 5) * 640 + drawn.camera.columns.x_of(column) + 5)];
  };
  CHECK(at(0, 0) == look.inks.nan);
  CHECK(at(0, 10) == look.inks.pos_inf);
  CHECK(at(5, 4) == look.inks.scale.colour(*look.inks.table, 1));
  CHECK(at(5, 5) == look.inks.scale.colour(*look.inks.table, -3));
}

}  // namespace dlscope::tests
