// FramePacing: when the next frame is due. After an event: at once, and for a moment longer, so that tooltips and hover
// effects appear. Without events no frame is drawn.
#pragma once

#include <chrono>
#include <optional>

namespace dlscope::app {

class FramePacing {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FramePacing(Clock::time_point now) : last_input_(now) {}

  struct Pause {
    bool draw_at_once = false;
    std::optional<std::chrono::milliseconds> at_most;  // nullopt: until something happens
  };
  [[nodiscard]] Pause pause(Clock::time_point now) const {
    if (due_ > 0) return {.draw_at_once = true, .at_most = {}};
    if (now - last_input_ < kAfterglow) return {.draw_at_once = false, .at_most = kAfterglowStep};
    return {};
  }
  // The shorter of `pause` and `milliseconds` until a frame is due by itself; milliseconds 0: none is.
  [[nodiscard]] static std::optional<std::chrono::milliseconds> sooner(std::optional<std::chrono::milliseconds> pause,
                                                                       int milliseconds) {
    if (milliseconds <= 0) return pause;
    const std::chrono::milliseconds due(milliseconds);
    return pause && *pause < due ? pause : due;
  }
  void input(Clock::time_point now) {
    last_input_ = now;
    changed();
  }
  // Two frames: what a frame changes is often seen only in the next one.
  void changed() { due_ = 2; }
  void drawn() { due_ -= due_ > 0 ? 1 : 0; }

 private:
  static constexpr std::chrono::milliseconds kAfterglow{900};  // longer than any tooltip waits
  static constexpr std::chrono::milliseconds kAfterglowStep{50};
  Clock::time_point last_input_;
  int due_ = 3;
};

}  // namespace dlscope::app
