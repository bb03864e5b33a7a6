// Pictures of the panels that show moments: history, a stop, the frames of an exception and of a crash.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>
#include <vector>

#include "app/window/screenshot.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

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
  request.earlier_snapshots = {look(1, first)};
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
  for (std::uint64_t run = 2; run <= 199; ++run) request.earlier_snapshots.push_back(look(run, run % 2 == 0 ? second : first));
  request.snapshot = look(200, first);
  draw(request, "history-many");
  request.look_at = 100;
  request.width = 1280;
  request.height = 720;
  draw(request, "history-many-back-1280x720");
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
    app::KeptBreakpoint b;
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
  crash.where = "In the last snapshot, taken in this run, the address lies 8 bytes past the end of x.";
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

}  // namespace dlscope::app
