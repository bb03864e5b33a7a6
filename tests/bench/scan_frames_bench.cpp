// What the window does while a real host looks at a million objects with attributes: the time of each frame, drawn off screen at 60 a second
// while a mouse moves, in three parts of one run: before the look, during it, and after it. A frame is late when the work for it takes longer
// than the 16.7 ms there are. Beside it, what of a frame the window's own code takes, without OpenGL: begin_frame() and end_frame() wait where
// software OpenGL still paints the frame before. Nothing is said of a look that did not find every tensor.
//   scan_frames_bench PYTHON [OBJECTS=1000000] [LOOKS=3]
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/platform/surface.h"
#include "app/window/application.h"
#include "app/window/host/host_link.h"

namespace {

namespace app = dlscope::app;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080, kFrames = 300;
constexpr std::chrono::microseconds kEach{16'667};

std::string script(int objects) {
  return fmt::format(R"(import array
class Node:
    def __init__(self, i):
        self.index, self.name, self.next, self.payload = i, "node", None, (i, i + 1)
nodes = [Node(i) for i in range({0})]
for i in range(0, {0}, {0} // 100):
    nodes[i].tensor = array.array("d", [i])
)",
                     objects);
}

void say_times(const char* what, std::vector<double>& seconds) {
  std::ranges::sort(seconds);
  const auto percentile = [&](double p) {
    return seconds[static_cast<std::size_t>(p * static_cast<double>(seconds.size() - 1))] * 1e3;
  };
  const auto late =
      std::ranges::count_if(seconds, [](double each) { return each > std::chrono::duration<double>(kEach).count(); });
  fmt::print("  {:<15} p50 {:5.2f} ms, p90 {:5.2f} ms, p99 {:5.2f} ms, longest {:5.2f} ms, {} late\n", what, percentile(0.5),
             percentile(0.9), percentile(0.99), seconds.back() * 1e3, late);
}

struct Part {
  const char* name;
  std::vector<double> frames, own;  // seconds; own: without OpenGL
  double lasted = 0;

  void say() {
    fmt::print("{}: {:.2f} s, {} frames\n", name, lasted, frames.size());
    say_times("whole frames", frames);
    say_times("without OpenGL", own);
  }
};

class Window {
 public:
  Window(std::unique_ptr<app::PictureSurface> surface, const std::string& python)
      : surface_(std::move(surface)), application_({}, app::make_host_link({python}, "", [] {})) {}

  // Draws frames until `done` says so; each is timed by itself.
  template <class Done>
  void draw_until(Part& part, Done done) {
    const auto begun = Clock::now();
    while (!done()) {
      const auto from = Clock::now();
      part.own.push_back(frame());
      part.frames.push_back(std::chrono::duration<double>(Clock::now() - from).count());
      std::this_thread::sleep_until(from + kEach);
    }
    part.lasted += std::chrono::duration<double>(Clock::now() - begun).count();
  }
  app::Application& application() { return application_; }
  [[nodiscard]] bool is(app::HostState state) const { return application_.host().state() == state; }

 private:
  // The seconds that the window's own code took.
  double frame() {
    const float at = 0.5F + 0.4F * std::sin(static_cast<float>(++drawn_) / 13.0F);
    ImGui::GetIO().AddMousePosEvent(at * kWidth, (1 - at) * kHeight);
    const auto from = Clock::now();
    application_.update();
    const auto updated = Clock::now();
    surface_->begin_frame();
    const auto begun = Clock::now();
    application_.draw(surface_->fonts());
    const auto drawn = Clock::now();
    surface_->end_frame();
    const auto ended = Clock::now();
    application_.carry_out();
    return std::chrono::duration<double>((updated - from) + (drawn - begun) + (Clock::now() - ended)).count();
  }

  std::unique_ptr<app::PictureSurface> surface_;
  app::Application application_;
  int drawn_ = 0;
};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: scan_frames_bench PYTHON [OBJECTS] [LOOKS]");
  const int objects = argc > 2 ? std::atoi(argv[2]) : 1'000'000, looks = argc > 3 ? std::atoi(argv[3]) : 3;
  auto surface = app::open_picture(kWidth, kHeight);
  if (!surface) give_up("no OpenGL to draw with");
  Window window(std::move(*surface), argv[1]);
  app::Application& application = window.application();
  app::apply_theme(app::theme_for(application.theme()), application.scale());
  Part warm{"start", {}, {}}, before{"before", {}, {}}, during{"look", {}, {}}, after{"after", {}, {}};
  window.draw_until(warm, [&] { return window.is(app::HostState::idle) || window.is(app::HostState::failed); });
  if (!window.is(app::HostState::idle)) give_up("Python did not start: " + application.host().detail());
  application.load_text("", script(objects));
  application.run_script();
  window.draw_until(warm,
                    [&] { return window.is(app::HostState::idle) && application.index() && application.index()->size() >= 100; });
  const auto frames_more = [&](Part& part) {
    return [&part, end = part.frames.size() + kFrames] { return part.frames.size() >= end; };
  };
  window.draw_until(before, frames_more(before));
  for (int look = 0; look < looks; ++look) {
    const app::IndexPtr last = application.index();
    application.commands().push(app::command::Rescan{});
    window.draw_until(during, [&] { return window.is(app::HostState::idle) && application.index() != last; });
    if (application.index()->size() != 100) give_up(fmt::format("{} tensors were found, not 100", application.index()->size()));
  }
  window.draw_until(after, frames_more(after));
  fmt::print("{} objects, 100 tensors, {} looks\n", objects, looks);
  for (Part* part : {&before, &during, &after}) part->say();
}
