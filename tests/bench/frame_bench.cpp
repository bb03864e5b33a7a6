// What a frame of the whole window costs with 1e5 and 1e6 tensors, drawn off screen at 1920 x 1080 (software OpenGL where there is
// no GPU), while a hand moves, scrolls, selects and zooms. Percentiles over all frames, beside a calibration of the same
// run: a frame that only fills the picture with text, which is what this OpenGL can do at best. And the memory that a window takes
// for its tensors, names and indices included, the tensors' own bytes not.
//   goal: p50 <= 12 ms, p99 <= 16.6 ms, whatever the number of tensors.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <imgui.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/platform/surface.h"
#include "app/window/application.h"
#include "tests/support/allocation_count.h"
#include "tests/support/process_facts.h"
#include "tests/support/sample_snapshot.h"

namespace {

namespace app = dlscope::app;
namespace core = dlscope::core;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080, kWarmFrames = 30, kFrames = 500;
constexpr std::int64_t kRows = 8, kColumns = 8;

// Memory where the sample snapshots say that memory is readable, so that values are read.
class Pool {
 public:
  explicit Pool(std::uint32_t tensors) : bytes_(std::size_t{tensors} * kRows * kColumns * sizeof(float)) {
    void* const wanted = reinterpret_cast<void*>(0x7f3a00000000);
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void* const got = ::mmap(wanted, bytes_, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (got == MAP_FAILED) return;
    numbers_ = static_cast<float*>(got);
    for (std::size_t i = 0; i < bytes_ / sizeof(float); ++i) numbers_[i] = static_cast<float>(i);
  }
  ~Pool() {
    if (numbers_ != nullptr) ::munmap(numbers_, bytes_);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  [[nodiscard]] core::Address array(std::uint32_t number) const {
    return reinterpret_cast<core::Address>(numbers_ + std::size_t{number} * kRows * kColumns);
  }

 private:
  std::size_t bytes_ = 0;
  float* numbers_ = nullptr;
};

// Every tenth is the transpose of the one before.
core::SnapshotPtr snapshot_over(const Pool& pool, std::uint32_t count) {
  std::vector<dlscope::tests::SampleTensor> tensors(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool view = i % 10 == 9;
    tensors[i].name = fmt::format("data[{}].layers[{}]", i / 100, i % 100);
    tensors[i].address = pool.array(view ? i - 1 : i);
    tensors[i].shape = {kRows, kColumns};
    if (view) tensors[i].strides = {1, kColumns};
  }
  return dlscope::tests::snapshot_of(tensors);
}

double memory_mib() {
  ::malloc_trim(0);  // what the samples' own construction has freed
  return static_cast<double>(dlscope::tests::facts_of(::getpid()).memory_kib) / 1024;
}

// The window over so many tensors, and the hand that moves in it.
class DrawnWindow {
 public:
  explicit DrawnWindow(std::uint32_t tensors) : tensors_(tensors), pool_(tensors) {
    auto surface = app::open_picture(kWidth, kHeight);
    if (!surface) return;
    surface_ = std::move(*surface);
    application_ = std::make_unique<app::Application>(app::ApplicationOptions{}, nullptr);
    application_->load_text("many.py", dlscope::tests::tour_script());
    if (auto reader = core::process_reader(::getpid())) application_->read_memory_with(std::move(*reader));
    const double before = memory_mib();
    application_->show_snapshot(snapshot_over(pool_, tensors));
    application_->finish_background_work();
    memory_mib_ = memory_mib() - before;
    app::apply_theme(app::theme_for(application_->theme()), application_->scale());
    for (int i = 0; i < kWarmFrames; ++i) frame();
  }

  [[nodiscard]] bool stands() const {
    return application_ && application_->index() && application_->index()->size() == tensors_ &&
           application_->panels().tensors.rows_drawn > 5 && application_->panels().memory.bars_drawn > 5 &&
           application_->panels().values.cells_read == kRows * kColumns;
  }

  void frame() {
    application_->update();
    surface_->begin_frame();
    application_->draw(surface_->fonts());
    surface_->end_frame();
    application_->carry_out();
  }

  // With every branch open.
  void show_as(app::TableView view) {
    application_->commands().push(app::command::AskRows{{.view = view}});
    frame();
    application_->finish_background_work();
    for (int i = 0; i < kWarmFrames; ++i) frame();
  }

  app::Application& application() { return *application_; }
  [[nodiscard]] app::FrameCounters counters() const { return surface_->counters(); }
  [[nodiscard]] std::uint32_t tensors() const { return tensors_; }
  [[nodiscard]] double mib() const { return memory_mib_; }

 private:
  std::uint32_t tensors_ = 0;
  double memory_mib_ = 0;
  Pool pool_;
  std::unique_ptr<app::PictureSurface> surface_;
  std::unique_ptr<app::Application> application_;
};

struct Scene {
  const char* name;
  std::function<void(DrawnWindow&, int frame)> act;
  bool paced = false;  // 60 frames a second, so that jobs end while one looks; else as fast as they come
  app::TableView view = app::TableView::flat;
};

void move(float x, float y) { ImGui::GetIO().AddMousePosEvent(x * kWidth, y * kHeight); }
float swing(int frame, float period) { return 0.5F + 0.45F * std::sin(static_cast<float>(frame) / period); }

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all{
      {"nothing_moves", [](DrawnWindow&, int) { move(0.999F, 0.999F); }},
      {"mouse_over_table_and_values",
       [](DrawnWindow&, int f) { move(0.25F + 0.45F * swing(f, 17), 0.1F + 0.6F * swing(f, 11)); }},
      {"mouse_over_map", [](DrawnWindow&, int f) { move(0.02F + 0.96F * swing(f, 23), 0.9F); }},
      {"scroll_table",
       [](DrawnWindow&, int f) {
         move(0.45F, 0.25F);
         ImGui::GetIO().AddMouseWheelEvent(0, f % 100 < 50 ? -3.0F : 3.0F);
       }},
      {"mouse_over_tree", [](DrawnWindow&, int f) { move(0.25F + 0.45F * swing(f, 17), 0.1F + 0.3F * swing(f, 11)); }, false,
       app::TableView::tree},
      {"scroll_tree",
       [](DrawnWindow&, int f) {
         move(0.45F, 0.25F);
         ImGui::GetIO().AddMouseWheelEvent(0, f % 100 < 50 ? -3.0F : 3.0F);
       },
       false, app::TableView::tree},
      {"zoom_map",
       [](DrawnWindow&, int f) {
         move(0.4F, 0.9F);
         ImGui::GetIO().AddMouseWheelEvent(0, f % 60 < 30 ? 1.0F : -1.0F);
       }},
      {"select_next",
       [](DrawnWindow& window, int f) {
         window.application().commands().push(
             app::command::SelectTensor{static_cast<std::uint32_t>(f * 7919) % window.tensors()});
       }},
      // A letter every tenth of a second at 60 frames a second: the rows come from a job, the frames meanwhile show the old ones.
      {"type_a_filter",
       [](DrawnWindow& window, int f) {
         static constexpr std::string_view kTyped = "data[77].layers[7]";
         if (f % 6 == 0)
           window.application().commands().push(app::command::AskRows{{.filter = std::string(kTyped.substr(0, f / 6 % 18))}});
       },
       true},
      {"fold_and_unfold_the_tree",
       [](DrawnWindow& window, int f) {
         if (f % 30 == 0)
           window.application().commands().push(
               app::command::AskRows{{.view = f % 60 == 0 ? app::TableView::tree : app::TableView::flat}});
       },
       true},
  };
  return all;
}

void report(benchmark::State& state, std::vector<double>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto percentile = [&](double p) {
    return seconds[static_cast<std::size_t>(p * static_cast<double>(seconds.size() - 1))] * 1e3;
  };
  state.counters["p50_ms"] = percentile(0.50);
  state.counters["p99_ms"] = percentile(0.99);
  state.counters["max_ms"] = seconds.back() * 1e3;
}

void time_frames(benchmark::State& state, const std::function<void(int)>& frame, bool paced = false) {
  std::vector<double> seconds;
  int number = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    frame(number++);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    state.SetIterationTime(seconds.back());
    if (paced) std::this_thread::sleep_until(start + std::chrono::microseconds(16'667));
  }
  report(state, seconds);
}

void bare_frames(benchmark::State& state) {
  auto surface = app::open_picture(kWidth, kHeight);
  if (!surface) return state.SkipWithError("no OpenGL to draw with");
  std::string line(200, 'x');
  time_frames(state, [&](int number) {
    line[0] = number % 2 == 0 ? 'x' : 'o';  // a frame equal to the one before would not be painted
    (*surface)->begin_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({kWidth, kHeight});
    ImGui::Begin("text");
    for (int i = 0; i < 40; ++i) ImGui::TextUnformatted(line.c_str());
    ImGui::End();
    (*surface)->end_frame();
  });
}

void window_frames(benchmark::State& state, const Scene& scene) {
  DrawnWindow window(static_cast<std::uint32_t>(state.range(0)));
  if (!window.stands()) return state.SkipWithError("no OpenGL to draw with, or the tensors are not shown");
  window.show_as(scene.view);
  const std::uint64_t before = dlscope::tests::allocations_of_this_thread();
  double painted = 0;
  const auto frame = [&](int number) {
    scene.act(window, number);
    window.frame();
    painted += window.counters().painted_pixels;
  };
  time_frames(state, frame, scene.paced);
  state.counters["allocations"] = static_cast<double>(dlscope::tests::allocations_of_this_thread() - before) / kFrames;
  state.counters["painted"] = painted / kFrames / (kWidth * kHeight);  // of the picture
  state.counters["vertices"] = window.counters().vertices;
  state.counters["draws"] = window.counters().draw_commands;
  state.counters["mib"] = window.mib();
  if (!window.stands()) state.SkipWithError("the tensors went away");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("frame/only_text", bare_frames)
      ->Iterations(kFrames)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  for (const Scene& scene : scenes()) {
    benchmark::RegisterBenchmark(("frame/" + std::string(scene.name)).c_str(),
                                 [&scene](benchmark::State& state) { window_frames(state, scene); })
        ->Arg(100'000)
        ->Arg(1'000'000)
        ->Iterations(kFrames)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
