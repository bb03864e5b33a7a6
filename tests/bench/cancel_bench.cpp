// How long it takes from Cancel in the window until a search of gigabytes has ended there, and what the frames meanwhile take:
// the real window, drawn off screen, over a real host. A frame is drawn when something has changed, as in the window, and at
// least 60 times a second. Three parts of one run: before any search (the calibration of the frames), while it reads, and from
// each click to its end. The gigabytes are pages that nobody wrote to: they are read as zeros and take no memory. Besides, how
// fast this machine copies memory.
//   cancel_bench PYTHON [GIB=8] [TIMES=50]
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/platform/surface.h"
#include "app/window/application.h"
#include "app/window/host/host_link.h"

namespace {

namespace app = dlscope::app;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080, kFrames = 300;
constexpr std::chrono::microseconds kEach{16'667};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

double milliseconds_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void say(const char* what, std::vector<double> ms) {
  if (ms.empty()) return;
  std::ranges::sort(ms);
  const auto percentile = [&](double p) { return ms[static_cast<std::size_t>(p * static_cast<double>(ms.size() - 1))]; };
  fmt::print("  {:<28} {:5} times: p50 {:6.2f} ms, p90 {:6.2f} ms, p99 {:6.2f} ms, longest {:6.2f} ms\n", what, ms.size(),
             percentile(0.5), percentile(0.9), percentile(0.99), ms.back());
}

void say_late(const std::vector<double>& frames) {
  const double each = std::chrono::duration<double, std::milli>(kEach).count();
  const auto later = [&](double than) { return std::ranges::count_if(frames, [&](double ms) { return ms > than; }); };
  fmt::print("  frames later than one: {}, than two: {}\n", later(each), later(2 * each));
}

// Notified by the host's link when a frame would show something new.
struct Wake {
  std::mutex mutex;
  std::condition_variable changed;
  bool wanted = false;

  void operator()() {
    const std::lock_guard lock(mutex);
    wanted = true;
    changed.notify_all();
  }
  void wait_until(Clock::time_point at) {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, at, [&] { return wanted; });
    wanted = false;
  }
};

class Window {
 public:
  Window(std::unique_ptr<app::PictureSurface> surface, const std::string& python)
      : surface_(std::move(surface)),
        application_(options(), app::make_host_link({python}, "", [this] { wake_(); })) {}

  // Draws frames until `done` says so; `frames` gets what each took.
  template <class Done>
  void draw_until(std::vector<double>& frames, Done done) {
    while (!done()) {
      const auto from = Clock::now();
      frame();
      frames.push_back(milliseconds_since(from));
      if (done()) return;
      wake_.wait_until(from + kEach);
    }
  }
  app::Application& application() { return application_; }
  [[nodiscard]] bool is(app::HostState state) const { return application_.host().state() == state; }

 private:
  app::ApplicationOptions options() {
    app::ApplicationOptions out;
    out.wake = [this] { wake_(); };
    return out;
  }
  void frame() {
    const float at = 0.5F + 0.4F * std::sin(static_cast<float>(++drawn_) / 13.0F);
    ImGui::GetIO().AddMousePosEvent(at * kWidth, (1 - at) * kHeight);
    application_.update();
    surface_->begin_frame();
    application_.draw(surface_->fonts());
    surface_->end_frame();
    application_.carry_out();
  }

  Wake wake_;
  std::unique_ptr<app::PictureSurface> surface_;
  app::Application application_;
  int drawn_ = 0;
};

double copy_rate() {
  std::vector<char> from(std::size_t{256} << 20, 1), to(from.size());
  const auto begun = Clock::now();
  std::memcpy(to.data(), from.data(), from.size());
  return static_cast<double>(from.size()) / std::chrono::duration<double>(Clock::now() - begun).count() / 1e9;
}

std::string script(int gib) {
  return fmt::format(
      "import mmap\n"
      "pages = mmap.mmap(-1, {} << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
      "x = memoryview(pages).cast('f')\n"
      "del pages\n",
      gib);
}

struct Times {
  std::vector<double> idle, reading, cancelling;  // frames
  std::vector<double> to_end;                     // from the click to the end in the list of tasks
  std::vector<double> frames_to_end;
};

void cancel_once(Window& window, Times& times) {
  app::Application& application = window.application();
  const auto newest = [&] { return application.tasks().all().empty() ? nullptr : &application.tasks().all().back(); };
  const std::uint64_t before = newest() != nullptr ? newest()->id : 0;
  application.commands().push(app::command::SearchValues{dlscope::core::SearchedValue::equal, "2"});
  const app::TaskEntry* task = nullptr;
  window.draw_until(times.reading, [&] {
    task = newest();
    return task != nullptr && task->id != before && (task->done > 0 || !task->is_open());
  });
  if (!task->is_open())
    give_up(fmt::format("the search {} before it could be cancelled ({}): take more GiB", app::task_state_word(task->state),
                        task->message.empty() ? "no message" : task->message));
  const std::uint64_t id = task->id;
  const std::size_t frames = times.cancelling.size();
  const auto clicked = Clock::now();
  application.commands().push(app::command::CancelTask{id});
  window.draw_until(times.cancelling, [&] { return !application.tasks().find(id)->is_open(); });
  times.to_end.push_back(milliseconds_since(clicked));
  times.frames_to_end.push_back(static_cast<double>(times.cancelling.size() - frames));
  if (application.tasks().find(id)->state != app::TaskState::cancelled) give_up("it was not cancelled");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: cancel_bench PYTHON [GIB] [TIMES]");
  const int gib = argc > 2 ? std::atoi(argv[2]) : 8, count = argc > 3 ? std::atoi(argv[3]) : 50;
  auto surface = app::open_picture(kWidth, kHeight);
  if (!surface) give_up("no OpenGL to draw with");
  Window window(std::move(*surface), argv[1]);
  app::Application& application = window.application();
  app::apply_theme(app::theme_for(application.theme()), application.scale());
  Times times;
  std::vector<double> start;
  window.draw_until(start, [&] { return window.is(app::HostState::idle) || window.is(app::HostState::failed); });
  if (!window.is(app::HostState::idle)) give_up("Python did not start: " + application.host().detail());
  application.load_text("", script(gib));
  application.run_script();
  window.draw_until(start, [&] { return window.is(app::HostState::idle) && application.index() != nullptr; });
  application.select("x");
  window.draw_until(times.idle, [&] { return times.idle.size() >= kFrames; });
  for (int i = 0; i < count; ++i) cancel_once(window, times);
  fmt::print("search of {} GiB, cancelled {} times; memory is copied at {:.1f} GB/s\n", gib, count, copy_rate());
  say("from Cancel to its end", times.to_end);
  fmt::print("  drawn from Cancel to its end: at most {} frames\n", *std::ranges::max_element(times.frames_to_end));
  say("frames before any search", times.idle);
  say_late(times.idle);
  say("frames while it reads", times.reading);
  say_late(times.reading);
  say("frames while it is cancelled", times.cancelling);
  say_late(times.cancelling);
}
