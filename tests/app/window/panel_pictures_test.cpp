// Pictures of single panels, each with what it is for and with what is missing or broken.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/window/screenshot.h"
#include "tests/app/window/pictures.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("the statistics of a tensor are drawn in both themes and at every scale", "[window]") {
  skip_without_gl();
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(200'000);
  for (float& x : values) x = normal(random);
  values[123'456] = std::numeric_limits<float>::quiet_NaN();
  values[7] = 1e6F;
  const std::vector<std::int32_t> counts{0, 1, 1, 2, 2, 2, 3, 3, 5, 9};
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::statistics)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({400, 500}, 32));
  const Pixels dark = draw(request, "statistics-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "statistics-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "statistics-teach-light");
  request.layout = LayoutPreset::debug;
  request.width = 1280;
  request.height = 720;
  draw(request, "statistics-1280x720");
  request.snapshot = tests::local_tensor(counts.data(), *core::dtype_from_name("int32"), core::Layout::c_order({10}, 32));
  draw(request, "statistics-whole-numbers");
  const std::vector<double> nan(12, std::numeric_limits<double>::quiet_NaN());
  request.snapshot = tests::local_tensor(nan.data(), *core::dtype_from_name("float64"), core::Layout::c_order({12}, 64));
  draw(request, "statistics-all-nan");
}

TEST_CASE("the figure of a heat map has its title, its axes and its legend, at every size", "[window][heatmap]") {
  skip_without_gl();
  std::vector<float> values(400 * 300);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i / 300) * 0.05) * std::cos(static_cast<double>(i % 300) * 0.03));
  values[40 * 300 + 200] = std::numeric_limits<float>::quiet_NaN();
  values[9] = std::numeric_limits<float>::infinity();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({400, 300}, 32));
  const auto figure = [&](const std::string& name) {
    request.figure_path = picture_path(name);
    const Pixels window = draw(request, name + "-window");
    const Pixels pixels = read_png(request.figure_path);
    CHECK((pixels.width < window.width && pixels.height < window.height));
    CHECK(pixels.colours() > 100);
    const auto text = text_in_png(request.figure_path);
    REQUIRE(text.size() == 3);
    CHECK(text[0].second.ends_with("[:, :]"));
    CHECK(text[1].second.find("float32, shape (400, 300).\nRows 0 to 399 of 400, columns 0 to 299 of 300.\n") !=
          std::string::npos);
    return std::pair(window, pixels);
  };
  const auto [window, dark] = figure("figure-dark");
  // The middle of the figure is in the window, pixel by pixel.
  const auto row_of = [](const Pixels& of, std::size_t y) { return std::span(of.rgba).subspan(y * of.width, of.width); };
  const std::size_t middle = dark.height / 2, half = dark.height / 4;
  std::size_t left = 0, top = 0;
  for (std::size_t y = 0; y < window.height && top == 0; ++y) {
    const auto found = std::ranges::search(row_of(window, y), row_of(dark, middle));
    if (found.empty()) continue;
    top = y;
    left = static_cast<std::size_t>(found.begin() - row_of(window, y).begin());
  }
  REQUIRE(top > half);
  bool same = true;
  for (std::size_t y = middle - half; y < middle + half; ++y)
    same = same && std::ranges::equal(row_of(window, top + y - middle).subspan(left, dark.width), row_of(dark, y));
  CHECK(same);
  request.theme = ThemeChoice::light;
  request.scale = 2;
  figure("figure-light-200");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  figure("figure-light-1280x720");
  request.width = 3840;
  request.height = 2160;
  figure("figure-light-4k");

  // Axes on sliders are controls too: only their indices are left, in the title.
  request.width = 1920;
  request.height = 1080;
  request.theme = ThemeChoice::dark;
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({4, 5, 60, 100}, 32));
  request.figure_path = picture_path("figure-rank-4");
  draw(request, "figure-rank-4-window");
  const Pixels of_four = read_png(request.figure_path);
  CHECK(of_four.colours() > 100);
  CHECK(text_in_png(request.figure_path)[0].second.ends_with("[0, 0, :, :]"));
}

TEST_CASE("the history is drawn with none, one and many moments, and while one looks back", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.ask = {show_panel(ActionContext::history)};
  const core::SnapshotPtr tour = request.snapshot;
  request.snapshot = nullptr;
  draw(request, "history-empty");
  request.snapshot = tour;
  const Pixels one = draw(request, "history-one");

  const std::string long_name = "model.encoder.layers[11].attention.self.query.weight_of_a_very_long_name";
  const auto look = [&](std::uint64_t run, std::vector<tests::SampleTensor> tensors) {
    auto out = std::make_shared<core::Snapshot>(*tests::snapshot_of(tensors, run));
    out->info.run = run;
    return out;
  };
  const std::vector<tests::SampleTensor> first = {{.name = "x", .address = 0x558120001000, .shape = {3, 4}},
                                                  {.name = "y", .address = 0x558120001000, .shape = {4, 3}, .strides = {1, 4}},
                                                  {.name = long_name, .address = 0x558120002000, .shape = {768, 768}},
                                                  {.name = "released", .address = 0x558120700000, .shape = {8}}};
  const std::vector<tests::SampleTensor> second = {
      {.name = "x", .dtype = "int16", .address = 0x558120001000, .shape = {6}},
      {.name = "y", .address = 0x558120703000, .shape = {4, 3}},
      {.name = long_name, .address = 0x558120300000, .shape = {768, 768}, .strides = {1, 768}},
      {.name = "fresh", .address = 0x558120704000, .shape = {5}}};
  request.select = "x";
  request.snapshot = look(2, second);
  request.looks_before = {look(1, first)};
  CHECK(draw(request, "history-two").rgba != one.rgba);
  request.look_at = 1;
  const Pixels back = draw(request, "history-back-dark");
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "history-back-light").rgba != back.rgba);
  request.scale = 2;
  draw(request, "history-back-light-200");
  request.theme = ThemeChoice::dark;
  draw(request, "history-back-dark-200");
  request.look_at = 0;
  draw(request, "history-two-dark-200");
  request.scale = 1;
  for (std::uint64_t run = 2; run <= 199; ++run) request.looks_before.push_back(look(run, run % 2 == 0 ? second : first));
  request.snapshot = look(200, first);
  draw(request, "history-many");
  request.look_at = 100;
  request.width = 1280;
  request.height = 720;
  draw(request, "history-many-back-1280x720");
}

TEST_CASE("the heat map is drawn in both themes and at every scale", "[window]") {
  skip_without_gl();
  constexpr std::int64_t kRows = 400, kColumns = 500;
  std::vector<float> values(kRows * kColumns);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column)
      values[static_cast<std::size_t>(row * kColumns + column)] =
          std::sin(static_cast<float>(row) / 40) * std::cos(static_cast<float>(column) / 60);
  }
  values[123 * kColumns + 456] = std::numeric_limits<float>::quiet_NaN();
  values[300 * kColumns + 20] = std::numeric_limits<float>::infinity();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap)};
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({kRows, kColumns}, 32));
  const Pixels dark = draw(request, "heatmap-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "heatmap-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "heatmap-teach-light");
  request.layout = LayoutPreset::debug;
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({2, 3, 4, 5}, 32));
  draw(request, "heatmap-rank-4");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({}, 32));
  draw(request, "heatmap-scalar");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({0, 3}, 32));
  draw(request, "heatmap-size-0");
}

TEST_CASE("the heat map is drawn as an image, with alpha, by channels first, and with outer axes reduced", "[window]") {
  skip_without_gl();
  constexpr std::int64_t kRows = 360, kColumns = 540;
  std::vector<std::uint8_t> rgba(kRows * kColumns * 4);
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    const auto row = static_cast<double>(i / kColumns) / kRows, column = static_cast<double>(i % kColumns) / kColumns;
    const double far = std::hypot(row - 0.5, column - 0.5);
    const double numbers[4] = {column, row, far < 0.3 ? 1 : 0.2, far < 0.45 ? 1 : 0.4};
    for (std::int64_t c = 0; c < 4; ++c) rgba[static_cast<std::size_t>(i * 4 + c)] = static_cast<std::uint8_t>(numbers[c] * 255);
  }
  std::vector<float> planes(3 * kRows * kColumns);
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    for (std::int64_t c = 0; c < 3; ++c)
      planes[static_cast<std::size_t>(c * kRows * kColumns + i)] =
          static_cast<float>(rgba[static_cast<std::size_t>(i * 4 + c)]) / 200.0F - 0.1F;
  }
  planes[100 * kColumns + 400] = std::numeric_limits<float>::quiet_NaN();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap), ActionId::heatmap_as_image};
  const auto tensor = [](const void* data, const char* dtype, const core::Layout& layout) {
    return tests::local_tensor(data, *core::dtype_from_name(dtype), layout);
  };
  request.snapshot = tensor(rgba.data(), "uint8", core::Layout::c_order({kRows, kColumns, 4}, 8));
  const Pixels dark = draw(request, "image-rgba-dark");
  CHECK(dark.colours() > 3000);
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "image-rgba-light-200").rgba != dark.rgba);
  request.snapshot = tensor(planes.data(), "float32", core::Layout::c_order({3, kRows, kColumns}, 32));
  draw(request, "image-planes-light-200");
  request.scale = 1;
  request.theme = ThemeChoice::dark;
  draw(request, "image-planes-dark");
  request.snapshot = tensor(rgba.data(), "uint8", core::Layout::c_order({5, 2, 6, 3}, 8));
  draw(request, "image-numbers-dark");
  request.snapshot = tensor(planes.data(), "bool", core::Layout::c_order({30, 40, 3}, 8));
  draw(request, "image-refused-dark");
}

TEST_CASE("the hex view is drawn in both themes, at every scale, with holes and with pages that are not there", "[window]") {
  skip_without_gl();
  std::vector<float> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.5F;
  values[37] = std::numeric_limits<float>::quiet_NaN();
  const core::DType float32 = *core::dtype_from_name("float32");
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::hex)};
  request.element = 37;
  request.snapshot = tests::local_tensor(values.data(), float32, core::Layout::c_order({64, 64}, 32));
  const Pixels dark = draw(request, "hex-dark");
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "hex-light").rgba != dark.rgba);
  request.scale = 2;
  draw(request, "hex-light-200");
  request.theme = ThemeChoice::dark;
  draw(request, "hex-dark-200");
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "hex-teach");
  request.layout = LayoutPreset::debug;
  request.element.reset();
  request.snapshot = tests::local_tensor(values.data(), float32, core::Layout::from_element_strides({8, 20}, {64, 3}, 32));
  draw(request, "hex-holes");
  request.width = 1280;
  request.height = 720;
  draw(request, "hex-1280x720");
  request.width = 1920;
  request.height = 1080;
  request.snapshot = tests::tour_snapshot();  // nothing lies at its addresses
  draw(request, "hex-not-mapped");
  request.snapshot = tests::empty_snapshot();
  draw(request, "hex-empty");
}

TEST_CASE("writes that are armed are drawn in both themes and at every scale, and one that is refused", "[window]") {
  skip_without_gl();
  std::vector<float> values(4096, 1.5F);
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.element = 37;
  request.ask = {show_panel(ActionContext::hex)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({64, 64}, 32));
  const Pixels before = draw(request, "hex-not-armed");
  request.ask.push_back(ActionId::hex_arm);
  const Pixels dark = draw(request, "hex-armed-dark");
  CHECK(dark.rgba != before.rgba);
  request.scale = 2;
  draw(request, "hex-armed-dark-200");
  request.theme = ThemeChoice::light;
  draw(request, "hex-armed-light-200");
  request.scale = 1;
  CHECK(draw(request, "hex-armed-light").rgba != dark.rgba);
  request.snapshot = tests::tour_snapshot();
  request.element.reset();
  draw(request, "hex-armed-tour");
  request.select = "mask";
  draw(request, "hex-arm-refused");
}

TEST_CASE("a stop is drawn in every theme, size and scale", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.script_path = "/home/user/tour.py";
  request.outcome = {};
  const Pixels before = draw(request, "stop-none");
  core::wire::Stopped stop;
  stop.stop = 1;
  stop.thread = "MainThread";
  stop.frames = {{"share", "/home/user/tour.py", 14, true},
                 {"_call", "/usr/lib/python3/functools.py", 81, false},
                 {"wrapper", "/usr/lib/python3/functools.py", 42, false},
                 {"<module>", "/home/user/tour.py", 16, true},
                 {"load", "/home/user/tour.py", 9, true, "Thread \"loader-1\" was here, and runs on"},
                 {"run", "/usr/lib/python3/threading.py", 982, false},
                 {"fetch", "/home/user/tour.py", 5, true, "Task \"fetch-2\" waits here for Future"}};
  request.stop = stop;
  for (const auto& [line, condition, log] : {std::tuple{14U, "a is not b", ""}, {5U, "", ""}, {9U, "", "w is {w}"}}) {
    core::wire::Breakpoint b;
    b.path = request.script_path;
    b.line = line;
    b.condition = condition;
    b.log_text = log;
    request.breakpoints.push_back(b);
  }
  request.watches = {"x.shape", "y.flags.owndata"};
  const Pixels dark = draw(request, "stop-dark");
  CHECK(dark.rgba != before.rgba);
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "stop-light").rgba != dark.rgba);
  request.theme = ThemeChoice::dark;
  request.scale = 2;
  draw(request, "stop-200");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  draw(request, "stop-1280x720");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  draw(request, "stop-1280x720-200-light");
}

TEST_CASE("the frames of an exception and a crash are drawn in every theme, size and scale", "[window]") {
  skip_without_gl();
  const auto draw_all = [](ScreenshotRequest request, const std::string& name) {
    const Pixels dark = draw(request, name + "-dark");
    request.theme = ThemeChoice::light;
    CHECK(draw(request, name + "-light").rgba != dark.rgba);
    request.scale = 2;
    draw(request, name + "-200-light");
    request.theme = ThemeChoice::dark;
    request.width = 1280;
    request.height = 720;
    draw(request, name + "-1280x720-200");
  };
  ScreenshotRequest request = tour_request();
  request.script_path = "/home/user/tour.py";
  request.watches = {"x.shape", "nope"};
  request.outcome = {};
  request.outcome.outcome = core::Outcome::raised;
  request.outcome.error = core::ScriptError{"MemoryError", "Unable to allocate 8.00 TiB", 14, ""};
  core::wire::Stopped ended;
  ended.stop = 1;
  ended.reason = core::wire::StopReason::ended;
  ended.message = "MemoryError: Unable to allocate 8.00 TiB for an array with shape (1099511627776,) and data type float64";
  ended.frames = {{"share", "/home/user/tour.py", 14, true},
                  {"_call", "/usr/lib/python3/functools.py", 81, false},
                  {"wrapper", "/usr/lib/python3/functools.py", 42, false},
                  {"<module>", "/home/user/tour.py", 16, true},
                  {"read", "/home/user/tour.py", 9, true, "Raised while this was handled: KeyError: 'weights'"},
                  {"share", "/home/user/tour.py", 12, true}};
  request.stop = ended;
  draw_all(request, "ended");

  request.stop.reset();
  request.outcome = {};
  request.outcome.outcome = core::Outcome::crashed;
  request.outcome.signal = 11;
  core::CrashFacts crash;
  crash.address = 0x7f3a10002008;
  crash.access = core::CrashFacts::Access::write;
  crash.memory = "no memory is mapped there";
  crash.where = "By the last look, in this run, the address lies 8 bytes past the end of x.";
  crash.native = {{"/usr/lib/x86_64-linux-gnu/libc.so.6", 0x16a2b1, {}},
                  {"/usr/lib/python3.12/lib-dynload/_ctypes.cpython-312-x86_64-linux-gnu.so", 0x9d20, {}},
                  {"/usr/lib/libpython3.12.so.1.0", 0x1f2a30, {}},
                  {"/usr/lib/libpython3.12.so.1.0", 0x1f2b90, {}}};
  request.outcome.crash = crash;
  draw_all(request, "crash");

  request.outcome = {};
  request.outcome.outcome = core::Outcome::finished;
  auto nothing = std::make_shared<core::Snapshot>(*tests::snapshot_of({}));
  nothing->info.functions_returned = true;
  nothing->info.last_function = {static_cast<std::uint32_t>(nothing->text.size()), 4};
  for (const char c : std::string_view("main")) nothing->text.push_back(c);
  request.snapshot = nothing;
  draw_all(request, "all-local");
}

namespace {

core::wire::HandedOver shared_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "SHARED";
  done.step = {"weights",
               "weights_torch",
               core::HandOver::shared,
               core::Relation::identical,
               3072,
               0x7f1200004000,
               0x7f1200004000,
               core::Probe::not_armed,
               "yes",
               "yes",
               "both are the same 3072 bytes"};
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(max_version=(1, 0))", "capsule 'dltensor_versioned'", false},
                {"the capsule is consumed", "renamed 'used_dltensor_versioned'", false},
                {"torch.from_dlpack(weights)", "a torch.Tensor", false}};
  done.line = "weights_torch = torch.from_dlpack(weights)";
  done.name = "weights_torch";
  done.type = "torch.Tensor";
  done.read_only = "nothing to keep: the source may be written";
  done.owner = "weights's memory (numpy); weights_torch keeps it alive too, also when weights is gone";
  return done;
}

core::wire::HandedOver refused_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "REFUSED";
  done.error_type = "BufferError";
  done.error =
      "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).";
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(stream=None)",
                 "BufferError: Cannot export readonly array since signalling readonly is unsupported by DLPack", true}};
  done.line = "weights_jax = jax.dlpack.from_dlpack(weights)";
  return done;
}

}  // namespace

TEST_CASE("a hand-over and a refusal are drawn with their calls and their evidence", "[window]") {
  skip_without_gl();
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      for (const bool shared : {true, false}) {
        ScreenshotRequest request = tour_request();
        request.layout = layout;
        request.scale = scale;
        request.handed = shared ? shared_hand_over() : refused_hand_over();
        const std::string name = std::string("exchange_") + (shared ? "shared_" : "refused_") +
                                 (layout == LayoutPreset::verify ? "verify_" : "teach_") + (scale > 1 ? "200" : "100");
        ScreenshotRequest without = request;
        without.handed.reset();
        CHECK(draw(request, name).rgba != draw(without, name + "_without").rgba);
      }
    }
  }
}

TEST_CASE("a recorded trace of streams is drawn with its lanes and its verdict", "[window]") {
  skip_without_gl();
  const std::string samples = DLSCOPE_SAMPLES;
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      ScreenshotRequest request = tour_request();
      request.layout = layout;
      request.scale = scale;
      request.theme = scale > 1 ? ThemeChoice::light : ThemeChoice::dark;
      const std::string name =
          std::string("streams_") + (layout == LayoutPreset::verify ? "verify_" : "teach_") + (scale > 1 ? "200" : "100");
      request.streams = samples + "/race.streams.json";
      const Pixels race = draw(request, name + "_race");
      request.streams = samples + "/ordered.streams.json";
      CHECK(draw(request, name + "_ordered").rgba != race.rgba);
      request.streams = samples + "/no_such.streams.json";
      CHECK(draw(request, name + "_missing").rgba != race.rgba);
    }
  }
}

namespace {

// x against others that differ from it in one way or another.
class ComparedTensors {
 public:
  ComparedTensors() {
    const core::DType f32 = *core::dtype_from_name("float32"), f64 = *core::dtype_from_name("float64");
    for (std::size_t i = 0; i < kElements; ++i) {
      x_[i] = equal_[i] = holes_[i] = static_cast<float>(i) * 0.25F - 100;
      turned_[i % 40 * 60 + i / 40] = static_cast<double>(x_[i]) + (i % 97 == 5 ? 0.125 : 0);
    }
    holes_[7] = std::numeric_limits<float>::quiet_NaN();
    holes_[815] = std::numeric_limits<float>::infinity();
    const core::Layout layout = core::Layout::c_order({60, 40}, 32);
    snapshot =
        tests::local_tensors({{"x", x_.data(), f32, layout},
                              {"equal", equal_.data(), f32, layout},
                              {"different", turned_.data(), f64, core::Layout::from_element_strides({60, 40}, {1, 60}, 64)},
                              {"holes", holes_.data(), f32, layout},
                              {"one_row", x_.data(), f32, core::Layout::c_order({40}, 32)},
                              {"other_shape", x_.data(), f32, core::Layout::c_order({40, 60}, 32)},
                              {"cube", x_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                              {"same_cube", equal_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                              {"nowhere", reinterpret_cast<const void*>(std::uintptr_t{64}), f32, layout}});
  }
  core::SnapshotPtr snapshot;

 private:
  static constexpr std::size_t kElements = 2400;
  std::vector<float> x_ = std::vector<float>(kElements), equal_ = x_, holes_ = x_;
  std::vector<double> turned_ = std::vector<double>(kElements);
};

}  // namespace

TEST_CASE("comparisons are drawn: equal, different, of other shapes, with NaN, of memory that cannot be read",
          "[window][compare]") {
  skip_without_gl();
  const ComparedTensors tensors;
  std::set<std::vector<std::uint32_t>> pictures;
  int drawn = 0;
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"x", "equal"},
                                                                             {"x", "different"},
                                                                             {"x", "holes"},
                                                                             {"x", "one_row"},
                                                                             {"x", "other_shape"},
                                                                             {"cube", "same_cube"},
                                                                             {"x", "nowhere"}}) {
    for (const bool large : {false, true}) {
      ScreenshotRequest request = tour_request();
      request.snapshot = tensors.snapshot;
      request.reader = *core::process_reader(0);
      request.select = a;
      request.compare = b;
      request.scale = large ? 2.0F : 1.0F;
      request.theme = large ? ThemeChoice::light : ThemeChoice::dark;
      request.layout = large ? LayoutPreset::teach : LayoutPreset::verify;
      request.ask = {ActionId::compare_values};
      pictures.insert(draw(request, std::string("compare_") + a + "_" + b + (large ? "_200" : "_100")).rgba);
      ++drawn;
    }
  }
  CHECK(pictures.size() == static_cast<std::size_t>(drawn));
}

}  // namespace dlscope::app
