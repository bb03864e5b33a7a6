// The models of the heat map: axes, windows, colours, pixels, the store. Without a window.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "app/models/heatmap/colour_maps.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/heatmap_store.h"
#include "app/models/heatmap/heatmap_window.h"
#include "app/models/heatmap/heatmap_words.h"

namespace dlscope::app {
namespace {

HeatmapCamera camera_of(std::int64_t rows, std::int64_t columns, double high, double wide) {
  HeatmapCamera camera;
  camera.row_limits = {rows, high, 200, 40};
  camera.column_limits = {columns, wide, 200, 80};
  camera.rows.settle(camera.row_limits);
  camera.columns.settle(camera.column_limits);
  return camera;
}

core::Texels texels_of(std::uint32_t rows, std::uint32_t columns, double value) {
  core::Texels texels;
  texels.resize({0, 0, rows, columns});
  for (std::size_t i = 0; i < texels.flags.size(); ++i) {
    texels.flags[i] = core::kTexelFinite;
    texels.least[i] = texels.greatest[i] = texels.mean[i] = value;
  }
  return texels;
}

TEST_CASE("axes have roles, and a cell is an element unless axes are reduced", "[models][heatmap]") {
  const core::Layout layout = core::Layout::c_order({3, 4, 5}, 32);
  core::CellAxes axes = default_cell_axes(3);
  CHECK((role_of(axes, 0) == AxisRole::slider && role_of(axes, 1) == AxisRole::down && role_of(axes, 2) == AxisRole::across));
  CHECK(cells_text(axes) == "[0, :, :]");
  axes.at[0] = 2;
  CHECK(element_of(layout, axes, {1, 3}) == 2U * 20 + 5 + 3);
  CHECK(cell_of(layout, axes, 48) == CellAt{1, 3});
  CHECK_FALSE(cell_of(layout, axes, 0));
  CHECK(show_element(layout, axes, 0));
  CHECK(axes.at[0] == 0);
  CHECK_FALSE(show_element(layout, axes, 19));
  set_role(axes, 0, AxisRole::down);
  CHECK(axes.down == std::vector<std::uint8_t>{0, 1});  // the first one outermost
  CHECK(cell_of(layout, axes, 48) == CellAt{9, 3});
  for (std::uint64_t element = 0; element < 60; ++element)
    CHECK(element_of(layout, axes, *cell_of(layout, axes, element)) == element);
  set_role(axes, 0, AxisRole::reduced);
  CHECK_FALSE(element_of(layout, axes, {0, 0}));
  CHECK(cell_of(layout, axes, 48) == CellAt{1, 3});
  CHECK(cells_text(axes) == "[mean, :, :]");
  const std::int64_t smaller[] = {2, 2, 2};
  fit_cell_axes(smaller, axes);
  CHECK(axes.at == std::vector<std::int64_t>{0, 0, 0});
  fit_cell_axes({}, axes);
  CHECK((axes.at.empty() && axes.down.empty() && axes.across.empty()));
  CHECK(element_of(core::Layout::c_order({}, 32), axes, {0, 0}) == 0U);
}

TEST_CASE("a window covers what is seen, is not too fine, and stays where it is while the camera moves", "[models][heatmap]") {
  for (const std::int64_t side : std::initializer_list<std::int64_t>{1, 3, 100, 3000, 100'000, 1'000'000'000'000}) {
    HeatmapCamera camera = camera_of(side, side, 700, 1000);
    const core::CellWindow whole = wanted_window(camera), seen = seen_cells(camera);
    CHECK((seen.rows == side && seen.columns == side && whole.rows == side && whole.columns == side));
    CHECK(serves(whole, whole, seen));
    for (int i = 0; i < 60; ++i) {
      camera.rows.zoom(camera.row_limits, 300, 1.25);
      camera.columns.zoom(camera.column_limits, 400, 1.25);
      camera.columns.pan(camera.column_limits, -3.7);
      const core::CellWindow wanted = wanted_window(camera);
      CHECK(wanted.texel_rows() * wanted.texel_columns() <= core::kMostTexels);
      CHECK(serves(wanted, wanted, seen_cells(camera)));
      CHECK((wanted.row % wanted.row_step == 0 && wanted.column % wanted.column_step == 0));
      CHECK(wanted.row + wanted.rows <= side);
      CHECK(core::check_window({side, side}, wanted).has_value());
    }
    if (side > 100) CHECK_FALSE(serves(whole, wanted_window(camera), seen_cells(camera)));
  }
}

TEST_CASE("numbers have colours: the ends, one number alone, the largest doubles, asinh", "[models][heatmap]") {
  const double most = std::numeric_limits<double>::max();
  const ColourScale scale(-1, 3);
  CHECK((scale.part_of(-1) == 0 && scale.part_of(1) == 0.5 && scale.part_of(3) == 1));
  CHECK((scale.part_of(-100) == 0 && scale.part_of(most) == 1));
  CHECK(ColourScale(5, 5).part_of(5) == 0.5);
  CHECK(ColourScale(-most, most).part_of(0) == 0.5);
  const ColourScale bent(-1000, 1000, ColourStretch::asinh);
  CHECK(std::abs(bent.part_of(0) - 0.5) < 1e-12);
  CHECK(bent.part_of(10) > 0.6);
  CHECK(std::abs(bent.value_at(bent.part_of(10)) - 10) < 1e-9);
  for (const ColourMap map : {ColourMap::viridis, ColourMap::grey}) {
    // Lightness rises all the way: it reads in grey too.
    double before = -1;
    for (const std::uint32_t colour : colour_table(map)) {
      const double light = 0.2126 * (colour & 0xFF) + 0.7152 * (colour >> 8 & 0xFF) + 0.0722 * (colour >> 16 & 0xFF);
      CHECK(light >= before - 0.8);
      before = light;
      CHECK(colour >> 24 == 0xFF);
    }
  }
  CHECK(colour_table(ColourMap::viridis).front() == 0xFF540144U);
}

TEST_CASE("every texel gets its pixels, and a special one enough of them to be seen", "[models][heatmap]") {
  HeatmapPicture picture;
  picture.asked.window = {0, 0, 1000, 1000, 10, 10};
  picture.texels = texels_of(100, 100, 1);
  picture.texels.flags[40 * 100 + 70] |= core::kTexelNan;
  HeatmapInks inks;
  inks.table = &colour_table(ColourMap::grey);
  inks.scale = ColourScale(0, 1);
  inks.nan = 0xFF00FF00;
  std::vector<std::uint32_t> colours, pixels(200 * 200, 7);
  colour_texels(picture.texels, TexelNumber::mean, inks, colours);
  const HeatmapCamera camera = camera_of(1000, 1000, 200, 200);
  paint_texels(picture, colours, camera, 5, {pixels.data(), 200, 200, 200});
  std::size_t nan = 0, plain = 0;
  for (const std::uint32_t one : pixels) {
    nan += one == inks.nan ? 1 : 0;
    plain += one == colour_table(ColourMap::grey).back() ? 1 : 0;
  }
  CHECK(nan == 25);
  CHECK(nan + plain == pixels.size());
  CHECK(pixels[81 * 200 + 141] == inks.nan);
  // Of which nothing is known yet: what was there stays.
  picture.texels.flags.assign(picture.texels.flags.size(), 0);
  colour_texels(picture.texels, TexelNumber::mean, inks, colours);
  std::ranges::fill(pixels, 7U);
  paint_texels(picture, colours, camera, 5, {pixels.data(), 200, 200, 200});
  CHECK(std::ranges::count(pixels, 7U) == 200 * 200);
}

TEST_CASE("the store keeps the last whole picture below the newest, and forgets them with the table", "[models][heatmap]") {
  HeatmapStore store;
  HeatmapRequest whole{.tensor = 1, .axes = default_cell_axes(2), .window = {0, 0, 20, 20, 2, 2}, .most_exact = 0, .whole = true};
  const auto first = store.begin(whole, {}, true);
  CHECK(first.dropped_task == 0);
  store.note_task(first.id, 7);
  CHECK_FALSE(store.shown());
  store.take(first.id, texels_of(10, 10, 1));
  REQUIRE(store.overview());
  CHECK_FALSE(store.overview()->is_exact());
  CHECK(coverage(*store.overview(), 400).is_sample);
  core::Texels exact = texels_of(10, 10, 2);
  exact.method = core::TexelMethod::exact;
  store.take(first.id, exact);
  CHECK(store.overview()->is_exact());
  CHECK(coverage(*store.overview(), 400).text == "computed on all 400 values");
  HeatmapRequest part = whole;
  part.window = {0, 0, 10, 10, 1, 1};
  part.whole = false;
  const auto second = store.begin(part, {}, true);
  CHECK(second.dropped_task == 7);             // it had not ended
  store.take(first.id, texels_of(10, 10, 3));  // too late
  CHECK(store.overview()->texels.mean[0] == 2);
  CHECK(store.newest()->texels.flags[0] == 0);
  core::Texels wrong = texels_of(11, 10, 3);
  store.take(second.id, wrong);
  CHECK(store.newest()->texels.flags[0] == 0);
  store.take(second.id, texels_of(10, 10, 4));
  CHECK(store.shown() == store.newest());
  CHECK(store.overview() != store.shown());
  CHECK(texel_words(*store.shown(), 3, 4) == "row 3, column 4\n4");
  part.axes.at[0] = 1;
  static_cast<void>(store.begin(part, {}, true));
  CHECK_FALSE(store.overview());
}

}  // namespace
}  // namespace dlscope::app
