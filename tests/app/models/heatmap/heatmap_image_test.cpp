// Tensors as images: which axis holds the channels, what is black and white, and every painted pixel against a plain evaluation of the
// memory below it, for several layouts, dtypes and zooms. Without a window.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_image.h"
#include "app/models/heatmap/heatmap_range.h"
#include "app/models/heatmap/heatmap_text.h"
#include "tests/app/models/heatmap/drawn_heatmap.h"

namespace dlscope::app {
namespace {

using tests::DrawnHeatmap;

const float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr core::DType kUint8{1, 8, 1}, kFloat32{2, 32, 1};

std::vector<std::uint8_t> channels_of(std::vector<std::int64_t> shape, core::DType dtype = kUint8) {
  return possible_channels(shape, dtype);
}

TEST_CASE("the channels are the last axis or the first of the innermost three, and what is no brightness says why",
          "[models][heatmap]") {
  using Axes = std::vector<std::uint8_t>;
  CHECK(channels_of({480, 640, 3}) == Axes{2});
  CHECK(channels_of({3, 480, 640}) == Axes{0});
  CHECK(channels_of({8, 4, 480, 640}) == Axes{1});
  CHECK(channels_of({8, 480, 640, 4}) == Axes{3});
  CHECK(channels_of({3, 480, 3}) == Axes{2, 0});
  CHECK(channels_of({3, 7, 480, 640}) == Axes{0});
  CHECK(channels_of({480, 640, 2}) == Axes{2});
  CHECK(channels_of({480, 640, 2}, kFloat32).empty());
  CHECK(channels_of({480, 640}).empty());
  CHECK(channels_of({640, 3}).empty());
  CHECK(channels_of({}).empty());
  CHECK(why_no_image(kUint8).empty());
  CHECK_FALSE(why_no_image(*core::dtype_from_name("bool")).empty());
  CHECK_FALSE(why_no_image(*core::dtype_from_name("complex64")).empty());
  CHECK_FALSE(why_no_image(*core::dtype_from_name("uint8x3")).empty());

  core::CellAxes axes = default_cell_axes(4);
  axes.at = {5, 0, 0, 0};
  const std::int64_t shape[] = {8, 3, 480, 640};
  set_channels(shape, 1, axes);
  CHECK((axes.channel == 1 && axes.down == Axes{2} && axes.across == Axes{3} && axes.at[0] == 5));
  CHECK(cells_text(axes) == "[5, channels, :, :]");
  CHECK(role_of(axes, 1) == AxisRole::channel);
  const core::Layout layout = core::Layout::c_order({8, 3, 480, 640}, 8);
  const auto element = element_of(layout, axes, {7, 9}, 2);
  CHECK(element == ((5U * 3 + 2) * 480 + 7) * 640 + 9);
  CHECK(cell_of(layout, axes, *element) == CellAt{7, 9});
  const std::int64_t other[] = {8, 30, 480, 640};
  fit_cell_axes(other, axes);
  CHECK_FALSE(axes.channel.has_value());
}

TEST_CASE("black and white: by the dtype, and said with what lies beyond", "[models][heatmap]") {
  CHECK((natural_range(kUint8).any && natural_range(kUint8).high == 255));
  CHECK(natural_range(*core::dtype_from_name("uint16")).high == 65535);
  CHECK(natural_range(kFloat32).high == 1);
  CHECK(natural_range(*core::dtype_from_name("bfloat16")).high == 1);
  CHECK_FALSE(natural_range(*core::dtype_from_name("int16")).any);
  CHECK_FALSE(natural_range(*core::dtype_from_name("uint32")).any);
  CHECK(image_range_text(natural_range(kUint8), {}) == "0 to 255 is black to white");
  NumberRange known;
  known.include(-2.5);
  known.include(1);
  CHECK(image_range_text(natural_range(kFloat32), known) == "0 to 1 is black to white; there is less, from -2.5");
  known.include(3);
  CHECK(image_range_text(natural_range(kFloat32), known) == "0 to 1 is black to white; there is less and more, -2.5 to 3");
  CHECK((channel_name(3, 0, ChannelOrder::bgr) == std::string("B") &&
         channel_name(2, 1, ChannelOrder::rgb) == std::string("alpha")));
}

// One way to lay 3 or 4 channels out.
struct Form {
  const char* name;
  std::vector<std::int64_t> shape, strides;  // elements
  std::int64_t first;                        // of element [0, 0, 0]
  std::uint8_t channel;
};

std::uint32_t shade(double value, double white) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value / white, 0.0, 1.0) * 255));
}

bool close(std::uint32_t a, std::uint32_t b) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    if (std::abs(static_cast<int>(a >> shift & 0xFF) - static_cast<int>(b >> shift & 0xFF)) > 1) return false;
  }
  return true;
}

// Every pixel of a picture, at several zooms.
template <class T>
void judge(const std::vector<T>& data, const char* dtype, const Form& form, double white) {
  const std::size_t channels = static_cast<std::size_t>(form.shape[form.channel]);
  DrawnHeatmap drawn(data.data() + form.first, dtype, core::Layout::from_element_strides(form.shape, form.strides, sizeof(T) * 8),
                     90, 130);
  set_channels(form.shape, form.channel, drawn.axes);
  drawn.fit();
  const std::int64_t rows = form.shape[drawn.axes.down[0]], columns = form.shape[drawn.axes.across[0]];
  const std::int64_t down = form.strides[drawn.axes.down[0]], across = form.strides[drawn.axes.across[0]],
                     step = form.strides[form.channel];
  HeatmapPainter::Look look;
  look.ground = 0xFF800000;
  look.inks.nan = 0xFF00FF00;
  look.inks.image = {
      .order = ChannelOrder::rgb, .black = 0, .white = white, .clear = 0, .opaque = white, .alpha = has_alpha(channels)};
  for (int zoom = 0; zoom < 9; ++zoom) {
    static_cast<void>(drawn.settle());
    REQUIRE(drawn.known().is_exact());
    const auto pixels = drawn.painted(look);
    const TexelLevel level = drawn.view().level;
    for (int y = 1; y < 90; y += 7) {
      for (int x = 2; x < 130; x += 5) {
        const std::int64_t row = drawn.camera.rows.unit_at(y + 0.5) >> level.down << level.down;
        const std::int64_t column = drawn.camera.columns.unit_at(x + 0.5) >> level.across << level.across;
        INFO(form.name << " " << dtype << " zoom " << zoom << ", pixel " << x << ", " << y << ", cell " << row << ", " << column);
        const std::uint32_t shown = pixels[static_cast<std::size_t>(y * 130 + x)];
        if (row < 0 || column < 0 || row >= rows || column >= columns) {
          CHECK(shown == look.ground);
          continue;
        }
        std::array<double, 4> mean{};
        bool nan = false;
        for (std::size_t c = 0; c < channels; ++c) {
          double sum = 0, count = 0;
          for (std::int64_t i = row; i < std::min(row + level.row_step(), rows); ++i) {
            for (std::int64_t k = column; k < std::min(column + level.column_step(), columns); ++k) {
              const std::int64_t at = form.first + i * down + k * across + static_cast<std::int64_t>(c) * step;
              const auto value = static_cast<double>(data[static_cast<std::size_t>(at)]);
              nan = nan || std::isnan(value);
              if (std::isnan(value)) continue;
              sum += value;
              ++count;
            }
          }
          mean[c] = count == 0 ? 0 : sum / count;
        }
        std::uint32_t expected = 0xFF000000U;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::uint32_t colour = shade(mean[channels < 3 ? 0 : c], white);
          const std::uint32_t over = has_alpha(channels) ? shade(mean[channels - 1], white) : 255,
                              below = check_colour(x, y) & 0xFF;
          expected |= (colour * over + below * (255 - over) + 127) / 255 << (8 * c);
        }
        CHECK(close(shown, nan ? look.inks.nan : expected));
      }
    }
    drawn.camera.rows.zoom(drawn.camera.row_limits, 30, 1.7);
    drawn.camera.columns.zoom(drawn.camera.column_limits, 50, 1.7);
  }
}

TEST_CASE("every pixel of an image is the mean of its cells, channel by channel, in every layout", "[models][heatmap]") {
  constexpr std::int64_t kRows = 210, kColumns = 330;
  std::mt19937 chance(5);
  std::vector<std::uint8_t> bytes(kRows * kColumns * 4);
  for (auto& one : bytes) one = static_cast<std::uint8_t>(chance());
  std::vector<float> floats(bytes.size());
  for (auto& one : floats) one = static_cast<float>(chance() % 1300) / 1000 - 0.1F;  // some beyond black and white
  floats[100 * kColumns * 3 + 77 * 3 + 1] = kNan;
  std::vector<std::uint16_t> words(bytes.size());
  for (auto& one : words) one = static_cast<std::uint16_t>(chance());
  const Form forms[] = {
      {"HWC", {kRows, kColumns, 3}, {kColumns * 3, 3, 1}, 0, 2},
      {"CHW", {3, kRows, kColumns}, {kRows * kColumns, kColumns, 1}, 0, 0},
      {"CHW permuted to HWC", {kRows, kColumns, 3}, {kColumns, 1, kRows * kColumns}, 0, 2},
      {"BGR view", {kRows, kColumns, 3}, {kColumns * 3, 3, -1}, 2, 2},
      {"cropped, every second column, upside down", {101, 77, 3}, {-kColumns * 3, 6, 1}, 150 * kColumns * 3 + 30, 2},
      {"RGBA", {kRows, kColumns, 4}, {kColumns * 4, 4, 1}, 0, 2},
      {"grey with alpha", {kRows, kColumns, 2}, {kColumns * 2, 2, 1}, 0, 2},
      {"one row repeated", {kRows, kColumns, 3}, {0, 3, 1}, 0, 2},
      {"channels between rows and columns", {kRows, 3, kColumns}, {kColumns * 3, kColumns, 1}, 0, 1},
  };
  for (const Form& form : forms) {
    judge(bytes, "uint8", form, 255);
    judge(floats, "float32", form, 1);
    judge(words, "uint16", form, 65535);
  }
}

TEST_CASE("a large image has a dot for each pixel of the screen, and its bytes are bounded", "[models][heatmap]") {
  constexpr std::int64_t kRows = 3000, kColumns = 4000;
  std::vector<std::uint8_t> row(kColumns * 3, 9);
  DrawnHeatmap drawn(row.data(), "uint8", core::Layout::from_element_strides({kRows, kColumns, 3}, {0, 3, 1}, 8), 750, 1000);
  const std::int64_t shape[] = {kRows, kColumns, 3};
  set_channels(shape, 2, drawn.axes);
  drawn.fit();
  static_cast<void>(drawn.settle());
  CHECK(drawn.known().is_exact());
  CHECK((drawn.view().level == TexelLevel{2, 2}));  // a pixel of the screen is 4 x 4 of the image
  CHECK(drawn.store.bytes() <= kMaxImageTileBytes);
  CHECK(texel_text(drawn.store, drawn.view(), {kRows, kColumns}, 8, 13, ChannelOrder::bgr) ==
        "rows 8 to 11, columns 12 to 15\nmean:  B 9   G 9   R 9");
  CHECK(dot_text(drawn.view().level) == "each dot the mean of 4 × 4 pixels");
  // The store keeps no tiles of another form.
  core::Texels wrong;
  wrong.resize({0, 0, 1, 1}, 2);
  const auto begun = drawn.store.begin({0, drawn.axes, {kRows, kColumns}, {2, 2}, {0, 0, 1, 1}, 0});
  const std::uint64_t before = drawn.store.revision();
  drawn.store.take(begun.id, wrong);
  CHECK(drawn.store.revision() == before);
}

TEST_CASE("a NaN stands out from an image of its own colour", "[models][heatmap]") {
  constexpr std::int64_t kSide = 400;
  std::vector<float> data(kSide * kSide * 3, 0);
  for (std::size_t i = 1; i < data.size(); i += 3) data[i] = 1;  // green all over
  data[(200 * kSide + 300) * 3] = kNan;
  DrawnHeatmap drawn(data.data(), "float32", core::Layout::c_order({kSide, kSide, 3}, 32), 100, 100);
  const std::int64_t shape[] = {kSide, kSide, 3};
  set_channels(shape, 2, drawn.axes);
  drawn.fit();
  static_cast<void>(drawn.settle());
  HeatmapPainter::Look look;
  look.inks.nan = 0xFF00FF00;
  look.least_special = 4;
  look.frames = true;
  const auto pixels = drawn.painted(look);
  CHECK(std::ranges::count(pixels, 0xFF000000U) == 6 * 6 - 4 * 4);
  CHECK(std::ranges::count(pixels, 0xFFFFFFFFU) == 8 * 8 - 6 * 6);
  CHECK(std::ranges::count(pixels, 0xFF00FF00U) == 100 * 100 - 8 * 8 + 4 * 4);
  CHECK(pixels[50 * 100 + 75] == look.inks.nan);
}

TEST_CASE("the range of all values is that of the statistics, and says what it was made from", "[models][heatmap]") {
  CHECK_FALSE(range_of_values(nullptr).range.any);
  CHECK_FALSE(percentiles_of_values(nullptr, 1).range.any);
  std::vector<std::uint8_t> data(10'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 200 / data.size());
  const core::Layout layout = core::Layout::c_order({10'000}, 8);
  const auto reader = core::process_reader(0).value();
  core::StatisticsOptions options;
  options.histogram = true;
  const auto found = core::exact_statistics(
      {kUint8, layout, reinterpret_cast<core::Address>(data.data()), core::ElementSource::checked(*reader)}, options);
  REQUIRE(found);
  const ValuesRange all = range_of_values(&found->summary);
  CHECK((all.range.low == 0 && all.range.high == 199 && !all.is_sample));
  CHECK(all.message == "min to max of all 10 000 values");
  const ValuesRange most = percentiles_of_values(&*found, 5);
  CHECK((most.range.low == 9 && most.range.high == 189));
  CHECK(most.message == "5 % to 95 % of all 10 000 values");
  core::Statistics sample = *found;
  sample.quantiles.method = sample.summary.method = core::StatisticsMethod::sample;
  sample.summary.seen = 100;
  CHECK(percentiles_of_values(&sample, 0.1).message == "0.1 % to 99.9 % of a sample, 100 of 10 000 values");
  CHECK(range_of_values(&sample.summary).is_sample);
  TensorStatistics statistics;
  CHECK(values_range_state(&statistics, {}) == "reading all values …");
  statistics.phase = TensorStatistics::Phase::done;
  CHECK(values_range_state(&statistics, {}).empty());
  CHECK_FALSE(values_range_state(&statistics, {.run = 1, .since = Since::ran, .since_run = 2}).empty());
}

TEST_CASE("a picture says of when it is", "[models][heatmap]") {
  using ReadFrom = HeatmapStore::ReadFrom;
  const Moment crashed{.run = 3, .since = Since::crashed, .since_run = 4};
  CHECK(out_of_date_text(ReadFrom::own, crashed) == "read as of run 3; run 4 crashed");
  CHECK(out_of_date_text(ReadFrom::nothing, crashed) ==
        "Not read yet. Seen as of run 3; run 4 crashed: other data may be there.");
  CHECK(out_of_date_text(ReadFrom::perhaps_another, crashed) ==
        "seen as of run 3; run 4 crashed; read since then: other data may be there");
  CHECK(state_text(crashed, TensorState::not_held) == "not held since the crash");
}

}  // namespace
}  // namespace dlscope::app
