// The models of the heat map: axes, windows, colours, pixels, the store. Without a window.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "app/models/heatmap/colour_maps.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_background.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/heatmap_store.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/heatmap/heatmap_window.h"
#include "app/models/heatmap/reversed_axes.h"
#include "app/models/heatmap/seen_range.h"
#include "core/reduce/reduce_task.h"
#include "tests/app/models/heatmap/drawn_heatmap.h"

namespace dlscope::app {
namespace {

using tests::camera_of;
using Drawn = tests::DrawnHeatmap;

HeatmapPainter::Look grey_look(double low, double high) {
  HeatmapPainter::Look look;
  look.inks.table = &colour_table(ColourMap::grey);
  look.inks.scale = ColourScale(low, high);
  look.inks.nan = 0xFF00FF00;
  look.ground = 0xFF800000;
  return look;
}

const float kNan = std::numeric_limits<float>::quiet_NaN();

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

TEST_CASE("a reversed axis runs from its last index, and every cell is still one element", "[models][heatmap]") {
  const core::Layout layout = core::Layout::c_order({3, 4, 5}, 32);
  for (unsigned mask = 0; mask < 8; ++mask) {
    core::CellAxes axes = default_cell_axes(3);
    set_role(axes, 0, AxisRole::down);  // tiles
    for (std::size_t axis = 0; axis < 3; ++axis) set_reversed(axes, axis, (mask >> axis & 1) != 0);
    std::vector<bool> seen(60);
    for (std::int64_t row = 0; row < 12; ++row) {
      for (std::int64_t column = 0; column < 5; ++column) {
        const auto turned = [&](std::size_t axis, std::int64_t index) {
          return is_reversed(axes, axis) ? layout.shape[axis] - 1 - index : index;
        };
        const std::int64_t expected = (turned(0, row / 4) * 4 + turned(1, row % 4)) * 5 + turned(2, column);
        CHECK(element_of(layout, axes, {row, column}) == static_cast<std::uint64_t>(expected));
        CHECK(cell_of(layout, axes, static_cast<std::uint64_t>(expected)) == CellAt{row, column});
        const auto plain = static_cast<std::uint64_t>(row * 5 + column);
        CHECK(mirrored_element(layout, axes, plain) == static_cast<std::uint64_t>(expected));
        CHECK(number_of_line(layout, axes, axes.down, row) == expected / 5);
        CHECK(number_of_line(layout, axes, axes.across, column) == expected % 5);
        seen[static_cast<std::size_t>(expected)] = true;
      }
    }
    CHECK(std::ranges::count(seen, true) == 60);
  }
  core::CellAxes axes = default_cell_axes(3);
  set_reversed(axes, 1, true);
  CHECK(cells_text(axes) == "[0, ::-1, :]");
  axes.at[0] = 1;
  CHECK_FALSE(cell_of(layout, axes, 0));  // in another slice
  CHECK(cell_of(layout, axes, 20) == CellAt{3, 0});
  set_role(axes, 1, AxisRole::reduced);
  CHECK_FALSE(is_reversed(axes, 1));  // an axis that does not run has no direction that could come back later
  set_reversed(axes, 2, true);
  const std::int64_t smaller[] = {2, 2, 2};
  fit_cell_axes(smaller, axes);
  CHECK(axes.at == std::vector<std::int64_t>{1, 0, -1});  // but a tensor of the same rank keeps it
}

TEST_CASE("what is painted of a reversed table is the picture turned over", "[models][heatmap]") {
  std::vector<float> values(64 * 48);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251);
  values[7] = kNan;
  const core::Layout layout = core::Layout::c_order({64, 48}, 32);
  const auto painted = [&](std::uint64_t reversed) {
    Drawn drawn(values.data(), "float32", layout, 64, 48);
    for (std::size_t axis = 0; axis < 2; ++axis) set_reversed(drawn.axes, axis, (reversed >> axis & 1) != 0);
    static_cast<void>(drawn.settle());
    return drawn.painted(grey_look(0, 250));
  };
  const auto plain = painted(0), down = painted(1), across = painted(2), both = painted(3);
  REQUIRE(plain.size() == std::size_t{64} * 48);
  std::vector<std::uint32_t> turned_down, turned_across, turned_both(plain.rbegin(), plain.rend());
  for (std::ptrdiff_t row = 64; row-- > 0;)
    turned_down.insert(turned_down.end(), plain.begin() + row * 48, plain.begin() + row * 48 + 48);
  for (auto row = turned_both.rbegin(); row != turned_both.rend(); row += 48) {
    std::vector<std::uint32_t> line(row, row + 48);
    turned_across.insert(turned_across.end(), line.rbegin(), line.rend());
  }
  CHECK(plain != down);
  CHECK(down == turned_down);
  CHECK(across == turned_across);
  CHECK(both == turned_both);
}

TEST_CASE("of a device's memory far fewer values are read without being asked for", "[models][heatmap]") {
  core::TensorRecord tensor;
  for (const core::DeviceId host : {core::kCpuDevice, core::DeviceId{3, 0}, core::DeviceId{13, 0}}) {  // pinned, managed
    tensor.device = host;
    CHECK(exact_at_once(tensor) == kExactAtOnce);
  }
  for (const core::DeviceId device : {core::DeviceId{2, 0}, core::DeviceId{2, 3}, core::DeviceId{10, 0}}) {
    tensor.device = device;
    CHECK(exact_at_once(tensor) <= kExactAtOnce / 16);
  }
}

TEST_CASE("a view covers what is seen in texels no smaller than a pixel, and no more of them than fit", "[models][heatmap]") {
  for (const std::int64_t side : std::initializer_list<std::int64_t>{1, 3, 100, 3000, 100'000, 1'000'000'000'000}) {
    for (const NumberWidth width : {NumberWidth::floats, NumberWidth::doubles}) {
      HeatmapCamera camera = camera_of(side, side, 1000, 1900);
      for (int i = 0; i < 60; ++i) {
        const HeatmapView view = view_of(camera, {width});
        const core::CellWindow window = window_of(view.level, view.tiles, camera.cells()), seen = seen_cells(camera);
        CHECK((window.row <= seen.row && window.row + window.rows >= seen.row + seen.rows));
        CHECK((window.column <= seen.column && window.column + window.columns >= seen.column + seen.columns));
        CHECK(core::check_window({side, side}, window).has_value());
        CHECK(static_cast<double>(view.level.row_step()) * camera.rows.px_per_unit() >= 1);
        CHECK(static_cast<double>(view.level.column_step()) * camera.columns.px_per_unit() >= 1);
        CHECK(TexelForm{width}.bytes_of(static_cast<std::size_t>(view.tiles.count() * kTileSide * kTileSide)) <= kMaxViewBytes);
        const HeatmapView coarse = coarser_view(view, camera.cells(), 2);
        const core::CellWindow over = window_of(coarse.level, coarse.tiles, camera.cells());
        CHECK((over.row <= window.row && over.row + over.rows >= window.row + window.rows));
        camera.rows.zoom(camera.row_limits, 300, 1.25);
        camera.columns.zoom(camera.column_limits, 400, 1.25);
        camera.columns.pan(camera.column_limits, -3.7);
      }
    }
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
  const ColourScale powers(1, 1000, ColourStretch::logarithmic);
  CHECK(std::abs(powers.part_of(10) - 1 / 3.0) < 1e-12);
  CHECK(std::abs(powers.value_at(2 / 3.0) - 100) < 1e-9);
  CHECK(powers.part_of(-5) == 0);
  CHECK(std::abs(ColourScale(-1, 1000, ColourStretch::logarithmic).part_of(1) - 0.5) < 1e-12);  // from a millionth on
  CHECK(ColourScale(-2, -1, ColourStretch::logarithmic).stretch() == ColourStretch::linear);
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

TEST_CASE("categories: a colour for each value, by its remainder, and another one where a texel has several", "[models][heatmap]") {
  constexpr std::uint32_t kSeveral = 0xFF010203U;
  const auto colour = [&](double value) { return category_colour(value, value, kSeveral); };
  CHECK(colour(0) == 0xFF000000U);
  CHECK(colour(1) == 0xFF009FE6U);  // Okabe and Ito's orange, as 0xAABBGGRR
  for (int a = 0; a < kCategoryColours; ++a) {
    for (int b = 0; b < a; ++b) CHECK(colour(a) != colour(b));
    CHECK(colour(a) != kSeveral);
    CHECK(colour(a + 8) == colour(a));
    CHECK(colour(a - 800) == colour(a));
  }
  CHECK(colour(-1) == colour(7));
  CHECK(category_colour(2, 3, kSeveral) == kSeveral);
  CHECK(colour(9'007'199'254'740'992) == kSeveral);  // perhaps one more
  CHECK(colour(kNan) == kSeveral);

  std::vector<std::int32_t> labels(400 * 400, 3);
  labels[100 * 400 + 200] = -2;
  Drawn drawn(labels.data(), "int32", core::Layout::c_order({400, 400}, 32), 200, 200);
  HeatmapPainter::Look look = grey_look(-2, 3);
  look.inks.several = kSeveral;
  static_cast<void>(drawn.settle());
  const auto pixels = drawn.painted(look);
  CHECK(pixels[50 * 200 + 100] == kSeveral);  // of four cells
  CHECK(std::ranges::count(pixels, kSeveral) == 1);
  CHECK(std::ranges::count(pixels, colour(3)) == 200 * 200 - 1);
  drawn.camera.rows.zoom(drawn.camera.row_limits, 50, 100);
  drawn.camera.columns.zoom(drawn.camera.column_limits, 100, 100);
  static_cast<void>(drawn.settle());
  CHECK(std::ranges::count(drawn.painted(look), kSeveral) == 0);
  CHECK(std::ranges::count(drawn.painted(look), colour(-2)) > 0);
}

TEST_CASE("categories are integers that are no means", "[models][heatmap]") {
  const core::DType i64 = *core::dtype_from_name("int64"), f32 = *core::dtype_from_name("float32");
  core::CellAxes axes = default_cell_axes(3);
  CHECK(shows_categories(i64, axes));
  CHECK(shows_categories(*core::dtype_from_name("uint4"), axes));
  CHECK_FALSE(shows_categories(f32, axes));
  CHECK_FALSE(shows_categories(*core::dtype_from_name("bool"), axes));
  core::DType lanes = i64;
  lanes.lanes = 2;
  CHECK_FALSE(shows_categories(lanes, axes));
  set_role(axes, 0, AxisRole::reduced, core::CellValue::max);
  CHECK(shows_categories(i64, axes));
  set_role(axes, 0, AxisRole::reduced, core::CellValue::mean);
  CHECK_FALSE(shows_categories(i64, axes));
}

TEST_CASE("what is painted at every zoom is what reducing every cell by itself gives", "[models][heatmap]") {
  constexpr std::int64_t kRows = 2900, kColumns = 3100;
  std::vector<float> data(kRows * kColumns);
  std::mt19937 chance(3);
  for (float& value : data) value = static_cast<float>(chance() % 1000);
  data[1234 * kColumns + 2345] = kNan;
  Drawn drawn(data.data(), "float32", core::Layout::c_order({kRows, kColumns}, 32), 140, 230);
  const HeatmapPainter::Look look = grey_look(0, 1000);
  std::size_t nan_pixels = 0;
  for (int zoom = 0; zoom < 26; ++zoom) {
    static_cast<void>(drawn.settle());
    REQUIRE(drawn.known().is_exact());
    const auto pixels = drawn.painted(look);
    const TexelLevel level = drawn.view().level;
    for (int y = 3; y < 140; y += 11) {
      for (int x = 5; x < 230; x += 13) {
        const std::int64_t row = drawn.camera.rows.unit_at(y + 0.5) >> level.down << level.down;
        const std::int64_t column = drawn.camera.columns.unit_at(x + 0.5) >> level.across << level.across;
        double sum = 0;
        std::int64_t count = 0;
        bool nan = false;
        for (std::int64_t r = row; r < std::min(row + level.row_step(), kRows); ++r) {
          for (std::int64_t c = column; c < std::min(column + level.column_step(), kColumns); ++c) {
            const float value = data[static_cast<std::size_t>(r * kColumns + c)];
            nan = nan || std::isnan(value);
            if (std::isnan(value)) continue;
            sum += static_cast<double>(value);
            ++count;
          }
        }
        const std::uint32_t shown = pixels[static_cast<std::size_t>(y * 230 + x)];
        INFO("zoom " << zoom << ", pixel " << x << ", " << y);
        if (nan) {
          CHECK(shown == look.inks.nan);
        } else {
          const int expected =
              static_cast<int>(look.inks.scale.colour(*look.inks.table, sum / static_cast<double>(count)) & 0xFF);
          CHECK(std::abs(static_cast<int>(shown & 0xFF) - expected) <= 1);
        }
      }
    }
    nan_pixels = static_cast<std::size_t>(std::ranges::count(pixels, look.inks.nan));
    CHECK(nan_pixels > 0);  // the lone NaN, whatever the zoom: the camera stays over it
    const double y = drawn.camera.rows.x_of(1234), x = drawn.camera.columns.x_of(2345);
    drawn.camera.rows.zoom(drawn.camera.row_limits, y, 1.3);
    drawn.camera.columns.zoom(drawn.camera.column_limits, x, 1.3);
  }
}

TEST_CASE("moving asks only for what comes into view, and nothing twice", "[models][heatmap]") {
  std::vector<float> row(100'000, 1.0F);
  Drawn drawn(row.data(), "float32", core::Layout::from_element_strides({100'000, 100'000}, {0, 1}, 32), 500, 800);
  drawn.most_exact = 0;
  CHECK(drawn.settle() > 0);
  CHECK(drawn.settle() == 0);
  for (int i = 0; i < 8; ++i) {
    drawn.camera.rows.zoom(drawn.camera.row_limits, 250, 1.5);
    drawn.camera.columns.zoom(drawn.camera.column_limits, 400, 1.5);
  }
  static_cast<void>(drawn.settle());
  drawn.camera.columns.pan(drawn.camera.column_limits, -8);
  const auto request = next_request(drawn.store, drawn.camera, drawn.subject());
  if (request) CHECK(request->tiles.columns == 1);  // what lies around the view was there already, but for one more column
  for (int i = 0; i < 400; ++i) {  // far away and back, through more tiles than are kept
    drawn.camera.columns.pan(drawn.camera.column_limits, i < 200 ? -70 : 70);
    if (i % 10 == 0) static_cast<void>(drawn.settle());
    CHECK(drawn.store.bytes() <= kMaxTileBytes);
  }
  static_cast<void>(drawn.settle());
  CHECK(drawn.known().is_covered());
}

TEST_CASE("a NaN that is known from all values stays in sight below a finer sample that missed it", "[models][heatmap]") {
  constexpr std::int64_t kSide = 4000;
  std::vector<float> data(kSide * kSide, 0.5F);
  data[100 * kSide + 200] = kNan;
  Drawn drawn(data.data(), "float32", core::Layout::c_order({kSide, kSide}, 32), 200, 200);
  static_cast<void>(drawn.settle());
  const HeatmapPainter::Look look = grey_look(0, 1);
  drawn.camera.rows.zoom(drawn.camera.row_limits, 5, 4);
  drawn.camera.columns.zoom(drawn.camera.column_limits, 10, 4);
  drawn.most_exact = 0;
  static_cast<void>(drawn.settle());
  CHECK(drawn.known().is_covered());
  CHECK_FALSE(drawn.known().is_exact());
  CHECK(std::ranges::count(drawn.painted(look), look.inks.nan) > 0);
  CHECK(coverage(drawn.known(), 10, false).is_sample);
  CHECK(coverage(drawn.known(), 10, false).text.ends_with("; a lone NaN may be missing"));
  // Of integers there is none.
  for (const bool looked_at : {false, true}) {
    const HeatmapCoverage of_integers = coverage(drawn.known(), 10, false, looked_at, false);
    CHECK(of_integers.is_sample);
    CHECK(of_integers.text.ends_with("; a lone value may be missing"));
    CHECK(of_integers.meaning.find("NaN") == std::string::npos);
  }
  drawn.most_exact = ~std::uint64_t{0};
  static_cast<void>(drawn.settle());
  CHECK(drawn.known().is_exact());
  CHECK(coverage(drawn.known(), 10, false).text == "computed on all 10 values in view");
  const double y = drawn.camera.rows.x_of(100), x = drawn.camera.columns.x_of(200);
  CHECK(drawn.painted(look)[static_cast<std::size_t>(y) * 200 + static_cast<std::size_t>(x)] == look.inks.nan);
}

TEST_CASE("a lone NaN that the sample misses is seen when the overview was read in the background", "[models][heatmap]") {
  constexpr std::int64_t kSide = 6000;
  constexpr std::uint64_t kAll = kSide * kSide;
  std::vector<float> data(kAll, 0.5F);
  data[2345 * kSide + 1999] = kNan;
  Drawn drawn(data.data(), "float32", core::Layout::c_order({kSide, kSide}, 32), 500, 500);
  drawn.most_exact = 1 << 20;
  static_cast<void>(drawn.settle());
  const HeatmapPainter::Look look = grey_look(0, 1);
  CHECK(drawn.read_in_background(0) == 0);
  CHECK(drawn.read_in_background(kAll - 1) == 0);
  CHECK_FALSE(is_overview_exact(drawn.store, drawn.camera.cells()));
  CHECK(std::ranges::count(drawn.painted(look), look.inks.nan) == 0);  // else this test says nothing
  CHECK(drawn.read_in_background(kAll) > 1);
  CHECK(drawn.known().is_covered());
  CHECK_FALSE(drawn.known().is_exact());
  CHECK(is_overview_exact(drawn.store, drawn.camera.cells()));
  const double y = drawn.camera.rows.x_of(2345), x = drawn.camera.columns.x_of(1999);
  CHECK(drawn.painted(look)[static_cast<std::size_t>(y) * 500 + static_cast<std::size_t>(x)] == look.inks.nan);
  const HeatmapCoverage said = coverage(drawn.known(), kAll, true, true);
  CHECK(said.is_sample);
  CHECK(said.text == "sample: a few values of each pixel; every NaN and infinity marked");
  CHECK(drawn.read_in_background(kAll) == 0);  // once
}

TEST_CASE("the overview gives way to the view, and is not begun again where it ended badly", "[models][heatmap]") {
  constexpr std::int64_t kSide = 2000;
  constexpr std::uint64_t kAll = kSide * kSide;
  std::vector<float> data(kAll, 0.5F);
  Drawn drawn(data.data(), "float32", core::Layout::c_order({kSide, kSide}, 32), 400, 400);
  drawn.most_exact = 1 << 18;
  const auto next = [&] { return next_request(drawn.store, drawn.camera, drawn.subject()); };
  const auto piece = [&] { return next_in_background(drawn.store, drawn.camera, drawn.subject(), kAll); };
  CHECK_FALSE(piece());  // nothing of the view is known yet
  static_cast<void>(drawn.settle());
  REQUIRE(piece());
  const auto begun = drawn.store.begin(*piece());
  drawn.store.note_task(begun.id, 77);
  CHECK_FALSE(next());
  CHECK_FALSE(piece());  // it is being read
  drawn.camera.rows.zoom(drawn.camera.row_limits, 200, 8);
  drawn.camera.columns.zoom(drawn.camera.column_limits, 200, 8);
  REQUIRE(next());  // the view was moved meanwhile
  CHECK(drawn.store.begin(*next()).dropped_task == 77);
  for (const auto how : {HeatmapReading::Phase::cancelled, HeatmapReading::Phase::failed}) {
    static_cast<void>(drawn.store.show(nullptr, 2));
    static_cast<void>(drawn.store.show(drawn.index->snapshot, 1));
    static_cast<void>(drawn.settle());
    REQUIRE(piece());
    drawn.store.end(drawn.store.begin(*piece()).id, how, "no");
    CHECK_FALSE(next());
    CHECK_FALSE(piece());
  }
}

TEST_CASE("ranges: of what is seen, and without the outermost percents of it", "[models][heatmap]") {
  std::vector<float> data(100 * 100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  data[0] = -1e6F;
  Drawn drawn(data.data(), "float32", core::Layout::c_order({100, 100}, 32), 200, 200);
  static_cast<void>(drawn.settle());
  const NumberRange all = drawn.store.range_of_level(drawn.view().level, TexelNumber::mean);
  CHECK((all.low == -1e6 && all.high == 9999));
  const NumberRange cut = percentile_range(drawn.store, drawn.view(), {0, 0, 100, 100, 1, 1}, TexelNumber::mean, 0.02, 0.98);
  CHECK((cut.low == 200 && cut.high == 9799));
  // Of the pixels in view only, also where the tiles reach further: 0 to 4 and 100 to 104, which has -1e6 in the place of 0.
  const NumberRange few = percentile_range(drawn.store, drawn.view(), {0, 0, 2, 5, 1, 1}, TexelNumber::mean, 0, 1);
  CHECK((few.low == -1e6 && few.high == 104));
  drawn.camera.rows.zoom(drawn.camera.row_limits, 0, 2);
  const NumberRange seen = range_of(drawn.store, drawn.view(), {0, 50, 10, 50, 1, 1}, TexelNumber::mean);
  CHECK((seen.low == 50 && seen.high == 999));
}

TEST_CASE("special texels are large enough to be seen, and what is not known has the ground's colour", "[models][heatmap]") {
  std::vector<float> data(1000 * 1000, 1.0F);
  data[405 * 1000 + 705] = kNan;
  Drawn drawn(data.data(), "float32", core::Layout::c_order({1000, 1000}, 32), 200, 200);
  HeatmapPainter::Look look = grey_look(0, 1);
  look.least_special = 20;
  CHECK(std::ranges::count(drawn.painted(look), look.ground) == 200 * 200);
  static_cast<void>(drawn.settle());
  const auto pixels = drawn.painted(look);
  const auto nan = std::ranges::count(pixels, look.inks.nan),
             plain = std::ranges::count(pixels, colour_table(ColourMap::grey).back());
  CHECK(nan == 20 * 20);
  CHECK(nan + plain == 200 * 200);
  CHECK(pixels[81 * 200 + 141] == look.inks.nan);
  CHECK(texel_text(drawn.store, drawn.view(), {1000, 1000}, 405, 705).find("NaN is among them") != std::string::npos);
}

TEST_CASE("the store forgets with the table and with the snapshot, and parts of other sizes change nothing",
          "[models][heatmap]") {
  std::vector<float> data(64 * 64, 2.0F);
  Drawn drawn(data.data(), "float32", core::Layout::c_order({64, 64}, 32), 400, 400);
  const auto request = next_request(drawn.store, drawn.camera, drawn.subject());
  REQUIRE(request);
  const auto first = drawn.store.begin(*request);
  CHECK(first.dropped_task == 0);
  drawn.store.note_task(first.id, 7);
  CHECK_FALSE(next_request(drawn.store, drawn.camera, drawn.subject()));  // it is on its way
  core::Texels wrong;
  wrong.resize({0, 0, 65, 64});
  drawn.store.take(first.id, wrong);
  CHECK(drawn.known().covered == 0);
  drawn.store.end(first.id, HeatmapReading::Phase::failed, "no");
  CHECK_FALSE(next_request(drawn.store, drawn.camera, drawn.subject()));  // not again by itself
  HeatmapRequest other = *request;
  other.axes.at[0] = 1;
  const auto second = drawn.store.begin(other);
  CHECK(second.dropped_task == 0);
  drawn.store.note_task(second.id, 8);
  CHECK_FALSE(drawn.store.about(0, drawn.axes));
  CHECK(drawn.store.show(drawn.index->snapshot, 2) == 8);
  CHECK(drawn.store.reading() == nullptr);
  CHECK(drawn.store.bytes() == 0);
}

}  // namespace
}  // namespace dlscope::app
