// Frames of the window while the heat map of a 100 000 x 100 000 float32 tensor is moved and zoomed over all of 1920 x 1080 pixels,
// drawn off screen (software OpenGL where there is no GPU): over one row of memory repeated, and over a sparse mapping of 40 GB. Frames
// come every 16.7 ms as on a display, so that the work in the background has the time between them. Of each scene: how long frames
// take, after how many of them everything that is seen is known, and how much memory the views took. Beside it, of the same run: a frame
// that paints as many pixels and nothing else.
//   goal: p50 <= 12 ms, p99 <= 16.6 ms, less than 16 MB.
//   heatmap_frame_bench [FRAMES=300]
#include <fmt/format.h>
#include <imgui_internal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "app/platform/surface.h"
#include "app/window/application.h"
#include "tests/support/local_tensor.h"

namespace {

namespace app = dlscope::app;
namespace core = dlscope::core;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080;
constexpr std::int64_t kSide = 100'000;
constexpr std::chrono::microseconds kFrameEvery{16'667};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Of this process without the pages of files and of sparse mappings, which are not its own.
double anonymous_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::strtod(line.c_str() + 8, nullptr) / 1024;
  return 0;
}

class HeatmapWindow {
 public:
  HeatmapWindow(const void* data, const core::Layout& layout) {
    auto surface = app::open_picture(kWidth, kHeight);
    if (!surface) return;
    surface_ = std::move(*surface);
    application_ = std::make_unique<app::Application>(app::ApplicationOptions{}, nullptr);
    if (auto reader = core::process_reader(::getpid())) application_->read_memory_with(std::move(*reader));
    app::apply_theme(app::theme_for(application_->theme()), application_->scale());
    ImGui::GetStyle().WindowRounding = 0;  // as where it is docked: its background is cleared, not drawn
    for (int i = 0; i < 5; ++i) frame();
    application_->show_snapshot(dlscope::tests::local_tensor(data, *core::dtype_from_name("float32"), layout));
    application_->finish_background_work();
    application_->select("x");
    for (int i = 0; i < 5; ++i) frame();
    memory_before_ = anonymous_megabytes();
    const char* const panel = app::title_of(app::ActionContext::heatmap);
    for (const app::PanelFacts* each : app::panels())
      if (each->context != app::ActionContext::heatmap) application_->panels().menu.show[each->context] = false;
    for (int i = 0; i < 20; ++i) frame();
    // Where a person has it when it is the only panel: docked, and all of the dock its own.
    ImGuiDockNode* const node = ImGui::FindWindowByName(panel)->DockNode;
    if (node == nullptr) return;
    const ImGuiID dock = ImGui::DockNodeGetRootNode(node)->ID;
    ImGui::DockBuilderRemoveNodeChildNodes(dock);
    ImGui::DockBuilderDockWindow(panel, dock);
    ImGui::DockBuilderFinish(dock);
    ImGui::SetWindowFocus(panel);
    for (int i = 0; i < 20; ++i) frame();
    const ImVec2 from = application_->panels().heatmap.cells_from, to = application_->panels().heatmap.cells_to;
    fmt::print("picture of {} x {} pixels\n", to.x - from.x, to.y - from.y);
    static_cast<void>(frames_until_known());
  }

  [[nodiscard]] bool stands() const { return application_ && panel().cells_to.x - panel().cells_from.x > kWidth * 0.8F; }
  [[nodiscard]] app::HeatmapPanelState& panel() const { return application_->panels().heatmap; }
  [[nodiscard]] double megabytes() const { return anonymous_megabytes() - memory_before_; }

  // Seconds that it took.
  double frame() {
    const auto start = Clock::now();
    application_->update();
    surface_->begin_frame();
    application_->draw(surface_->fonts());
    surface_->end_frame();
    application_->carry_out();
    return seconds_since(start);
  }
  double paced_frame() {
    const auto next = Clock::now() + kFrameEvery;
    const double took = frame();
    std::this_thread::sleep_until(next);
    return took;
  }
  int frames_until_known() {
    for (int i = 1; i < 600; ++i) {
      paced_frame();
      if (panel().said.starts_with("computed on all") || panel().said.starts_with("sample: ")) return i;
    }
    return -1;
  }

 private:
  double memory_before_ = 0;
  std::unique_ptr<app::PictureSurface> surface_;
  std::unique_ptr<app::Application> application_;
};

struct Scene {
  const char* name;
  std::function<void(int frame)> act;
};

void move(float x, float y) { ImGui::GetIO().AddMousePosEvent(x * kWidth, y * kHeight); }

// A hand that drags 24 pixels a frame, back and forth; one that turns the wheel, in and out, and then rests a moment.
const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all{
      {"panned",
       [](int f) {
         const int at = f % 80 < 40 ? f % 40 : 40 - f % 40;
         ImGui::GetIO().AddMousePosEvent(400 + static_cast<float>(at) * 24, 400 + static_cast<float>(at) * 6);
         if (f == 0) ImGui::GetIO().AddMouseButtonEvent(0, true);
       }},
      {"zoomed",
       [](int f) {
         if (f == 0) ImGui::GetIO().AddMouseButtonEvent(0, false);
         move(0.6F, 0.5F);
         if (f % 3 == 0) ImGui::GetIO().AddMouseWheelEvent(0, f % 120 < 60 ? 1.0F : -1.0F);
       }},
  };
  return all;
}

void report(const char* name, std::vector<double>& seconds) {
  std::ranges::sort(seconds);
  const auto ms = [&](double p) { return seconds[static_cast<std::size_t>(p * static_cast<double>(seconds.size() - 1))] * 1e3; };
  fmt::print("{:<34} p50 {:5.1f} ms  p99 {:5.1f} ms  most {:5.1f} ms", name, ms(0.5), ms(0.99), ms(1));
}

void bench_window(const char* name, const void* data, const core::Layout& layout, int frames) {
  HeatmapWindow window(data, layout);
  if (!window.stands()) {
    fmt::print("{}: no OpenGL to draw with, or the picture is not shown\n", name);
    std::exit(1);
  }
  move(0.5F, 0.5F);
  for (int i = 0; i < 36; ++i) {  // from all of it to a part of it, in which there is room to move
    if (i % 3 == 0) ImGui::GetIO().AddMouseWheelEvent(0, 1);
    window.paced_frame();
  }
  static_cast<void>(window.frames_until_known());
  for (const Scene& scene : scenes()) {
    std::vector<double> seconds;
    const std::uint64_t paints = window.panel().paints;
    for (int f = 0; f < frames; ++f) {
      scene.act(f);
      seconds.push_back(window.paced_frame());
    }
    const std::uint64_t painted = window.panel().paints - paints;
    const int known = window.frames_until_known();
    report(fmt::format("{} {}", name, scene.name).c_str(), seconds);
    fmt::print("  {} of {} frames painted, all known {} frames after the last move, {:.1f} MB\n", painted, frames, known,
               window.megabytes());
  }
}

void bench_bare(int frames) {
  auto surface = app::open_picture(kWidth, kHeight);
  if (!surface) return;
  app::PixelTexture texture;
  std::vector<double> seconds;
  for (int f = 0; f < frames; ++f) {
    const auto start = Clock::now();
    (*surface)->begin_frame();
    std::uint32_t* const pixels = texture.begin(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      std::fill_n(pixels + y * texture.pitch(), kWidth, 0xFF000000U + static_cast<std::uint32_t>(f));
    texture.changed();
    texture.draw(ImGui::GetBackgroundDrawList(), {0, 0});
    (*surface)->end_frame();
    seconds.push_back(seconds_since(start));
  }
  report("one colour on as many pixels", seconds);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int frames = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 300;
  bench_bare(frames);
  std::vector<float> row(kSide);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::sin(static_cast<float>(i) * 1e-3F);
  bench_window("one row repeated", row.data(), core::Layout::from_element_strides({kSide, kSide}, {0, 1}, 32), frames);
  const std::size_t bytes = static_cast<std::size_t>(kSide * kSide) * sizeof(float);
  void* const sparse = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sparse == MAP_FAILED) return 1;
  bench_window("sparse", sparse, core::Layout::c_order({kSide, kSide}, 32), frames);
  ::munmap(sparse, bytes);
  return 0;
}
