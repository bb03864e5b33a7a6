// Frames of the window while the hex view of a sparse mapping of 100 GiB is scrolled by the wheel and thrown to places all over it,
// drawn off screen at 1920 x 1080 (software OpenGL where there is no GPU). Frames come every 16.7 ms as on a display. Beside it, of
// the same run: a frame of as much text and nothing else. Nothing is timed before the last row, one in the middle and the first one
// have been shown with the bytes that were written there.
//   goal: p50 <= 12 ms, p99 <= 16.6 ms.
//   hex_frame_bench [FRAMES=300]
#include <fmt/format.h>
#include <imgui_internal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
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
constexpr std::size_t kSize = std::size_t{100} << 30;
constexpr std::chrono::microseconds kFrameEvery{16'667};

[[noreturn]] void leave(const std::string& why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

class HexWindow {
 public:
  explicit HexWindow(const void* data) {
    auto surface = app::open_picture(kWidth, kHeight);
    if (!surface) leave("no OpenGL to draw with");
    surface_ = std::move(*surface);
    application_ = std::make_unique<app::Application>(app::ApplicationOptions{}, nullptr);
    if (auto reader = core::process_reader(::getpid())) application_->read_memory_with(std::move(*reader));
    app::apply_theme(app::theme_for(application_->theme()), application_->scale());
    ImGui::GetStyle().WindowRounding = 0;  // as where it is docked: its background is cleared, not drawn
    frames(5);
    const auto all = core::Layout::c_order({static_cast<std::int64_t>(kSize)}, 8);
    application_->show_snapshot(dlscope::tests::local_tensor(data, *core::dtype_from_name("uint8"), all));
    application_->finish_background_work();
    application_->select("x");
    for (const app::PanelFacts* each : app::panels())
      application_->panels().menu.show[each->context] = each->context == app::ActionContext::hex;
    frames(20);
    // Docked, and all of the dock its own.
    const char* const name = app::title_of(app::ActionContext::hex);
    ImGuiWindow* const window = ImGui::FindWindowByName(name);
    if (window == nullptr || window->DockNode == nullptr) leave("the hex view is not docked");
    const ImGuiID dock = ImGui::DockNodeGetRootNode(window->DockNode)->ID;
    ImGui::DockBuilderRemoveNodeChildNodes(dock);
    ImGui::DockBuilderDockWindow(name, dock);
    ImGui::DockBuilderFinish(dock);
    ImGui::SetWindowFocus(name);
    frames(20);
    if (panel().rows_seen < 20) leave("the hex view is not shown");
  }

  [[nodiscard]] app::HexPanelState& panel() const { return application_->panels().hex; }
  [[nodiscard]] std::uint64_t last_row() const { return panel().rows.rows() - panel().rows_seen; }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  // Seconds that it took.
  double frame() {
    const auto start = Clock::now();
    application_->update();
    surface_->begin_frame();
    application_->draw(surface_->fonts());
    surface_->end_frame();
    application_->carry_out();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  // The bytes that were put into this row are those that are shown there.
  void check(std::uint64_t row, std::byte* data) {
    const app::HexRows& rows = panel().rows;
    constexpr std::string_view kText = "a row of its own";
    std::byte* const at = data + (rows.begin_of(row) - rows.first);
    std::memcpy(at, kText.data(), std::min<std::size_t>(kText.size(), rows.width));
    panel().first_row = std::min(row, last_row());
    frames(2);
    const std::uint64_t shown = row - panel().first_row;
    const bool is_there = shown < panel().bytes.rows.size() && panel().bytes.rows[shown] == app::RowState::readable &&
                          std::memcmp(panel().bytes.row(shown).data(), at, rows.width) == 0;
    if (!is_there) leave(fmt::format("row {} is not what was written there", row));
  }

 private:
  std::unique_ptr<app::PictureSurface> surface_;
  std::unique_ptr<app::Application> application_;
};

// cpu: of the thread that draws, a frame; other programs lengthen it little.
void report(const char* name, std::vector<double>& seconds, double cpu) {
  std::ranges::sort(seconds);
  const auto ms = [&](double p) { return seconds[static_cast<std::size_t>(p * static_cast<double>(seconds.size() - 1))] * 1e3; };
  fmt::print("{:<44} p50 {:5.1f} ms  p99 {:5.1f} ms  most {:5.1f} ms   {:5.2f} ms of the CPU\n", name, ms(0.5), ms(0.99), ms(1),
             cpu * 1e3);
}

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void bench(const char* name, int frames, const std::function<double(int)>& frame) {
  std::vector<double> seconds;
  const double before = thread_seconds();
  for (int f = 0; f < frames; ++f) {
    const auto next = Clock::now() + kFrameEvery;
    seconds.push_back(frame(f));
    std::this_thread::sleep_until(next);
  }
  report(name, seconds, (thread_seconds() - before) / frames);
}

// As many lines and letters as the hex view has, another one in every frame.
void bench_bare(int frames, std::uint64_t lines) {
  auto surface = app::open_picture(kWidth, kHeight);
  if (!surface) return;
  std::string line(200, 'x');
  bench("a page of text, nothing else", frames, [&](int f) {
    line[0] = f % 2 == 0 ? 'x' : 'o';
    const auto start = Clock::now();
    (*surface)->begin_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({kWidth, kHeight});
    ImGui::Begin("text");
    for (std::uint64_t i = 0; i < lines; ++i) ImGui::TextUnformatted(line.c_str());
    ImGui::End();
    (*surface)->end_frame();
    return std::chrono::duration<double>(Clock::now() - start).count();
  });
}

// Leaves where a scene moves nothing.
void bench_scene(HexWindow& window, const char* name, int frames, const std::function<void(int)>& act) {
  const std::uint64_t before = window.panel().first_row;
  std::uint64_t moved = 0;
  bench(name, frames, [&](int f) {
    act(f);
    const std::uint64_t row = window.panel().first_row;
    const double took = window.frame();
    moved += window.panel().first_row != row || row != before ? 1 : 0;
    return took;
  });
  if (moved == 0) leave("nothing was scrolled");
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int frames = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 300;
  void* const sparse = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sparse == MAP_FAILED) leave("no room for the mapping");
  std::uint64_t lines = 0;
  {
    HexWindow window(sparse);
    lines = window.panel().rows_seen;
    const std::uint64_t rows = window.panel().rows.rows();
    fmt::print("{} rows of {} bytes, {} in view\n", rows, window.panel().rows.width, lines);
    for (const std::uint64_t row : {std::uint64_t{0}, rows / 2 + 12'345, rows - 1})
      window.check(row, static_cast<std::byte*>(sparse));
    window.panel().first_row = window.last_row() / 2;
    window.frames(2);
    ImGui::GetIO().AddMousePosEvent(kWidth * 0.3F, kHeight * 0.5F);
    bench_scene(window, "scrolled by the wheel", frames,
                [](int f) { ImGui::GetIO().AddMouseWheelEvent(0, f % 100 < 50 ? -3.0F : 3.0F); });
    std::mt19937_64 chance(5);
    bench_scene(window, "thrown anywhere, as by its scroll bar", frames,
                [&](int) { window.panel().first_row = chance() % (window.last_row() + 1); });
    bench_scene(window, "from the first rows to the last and back", frames,
                [&](int f) { window.panel().first_row = f % 2 == 0 ? 0 : window.last_row(); });
  }
  bench_bare(frames, lines);
  ::munmap(sparse, kSize);
  return 0;
}
