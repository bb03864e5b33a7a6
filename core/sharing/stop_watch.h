// StopWatch: looks at a stop token after a fixed amount of work, however that is divided into steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

namespace dlscope::core {

// Remembers a stop: from then on go_on() is false. thread: one at a time.
class StopWatch {
 public:
  // A step is a nanosecond to four, so that between two looks there is about a millisecond at most.
  static constexpr std::uint64_t kStepsPerLook = std::uint64_t{1} << 18;
  enum class FirstLook : std::uint8_t { at_once, after_work };

  explicit StopWatch(const std::stop_token& stop, FirstLook first = FirstLook::at_once)
      : stop_(stop), done_(first == FirstLook::at_once ? kStepsPerLook : 0) {}

  // Call before or after so many steps. False: stopped.
  [[nodiscard]] bool go_on(std::uint64_t steps) {
    done_ += steps;
    if (done_ < kStepsPerLook) return !stopped_;
    done_ = 0;
    stopped_ = stopped_ || stop_.stop_requested();
    return !stopped_;
  }

 private:
  const std::stop_token& stop_;
  std::uint64_t done_;
  bool stopped_ = false;
};

// Sorts by key(value). False: stopped; then the values are in no order.
template <class Values, class Key>
[[nodiscard]] bool sort_unless_stopped(Values& values, StopWatch& watch, Key key) {
  constexpr std::uint64_t kStepsPerComparison = 4;
  struct Stopped {};
  const auto before = [&](const auto& a, const auto& b) {
    if (!watch.go_on(kStepsPerComparison)) throw Stopped{};  // the only way out of std::sort
    return key(a) < key(b);
  };
  try {
    if (!std::is_sorted(values.begin(), values.end(), before)) std::sort(values.begin(), values.end(), before);
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

}  // namespace dlscope::core
