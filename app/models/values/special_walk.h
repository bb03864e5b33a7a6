// SpecialWalk: steps from one special value of a tensor to the next or previous one, searching piece by piece in a worker; for
// every view with keys for this.
// thread: UI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/values/value_task.h"

namespace dlscope::app {

class SpecialWalk {
 public:
  // Starts from the pinned element, else from the beginning, or backward from the end; goes on to the other end, unless stopped.
  // pinned: an element of this tensor. nullopt: nothing to do; said() tells why.
  [[nodiscard]] std::optional<ValueTask> start(const core::SnapshotPtr& snapshot, std::uint32_t tensor,
                                               std::optional<std::uint64_t> pinned, bool forward,
                                               core::SearchedValue sought = core::SearchedValue::non_finite);
  struct Step {
    std::optional<std::uint64_t> found;  // an element to pin
    std::optional<ValueTask> next;       // post this task to continue
  };
  [[nodiscard]] Step take(const ValueAnswer& answer);
  void stop();
  void forget() {
    walking_ = false;
    said_.clear();
  }
  [[nodiscard]] bool walking() const { return walking_; }
  [[nodiscard]] const std::string& said() const { return said_; }

  // Of the last walk, for the list of tasks: its number (0: there was none), "Next special value of x", the elements searched and to
  // be searched at most, and whether it found one or came to the end.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] std::uint64_t searched() const { return searched_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }
  [[nodiscard]] bool completed() const { return completed_; }

 private:
  bool walking_ = false, completed_ = false;
  std::uint64_t number_ = 0, searched_ = 0, most_ = 0;
  std::string said_, title_;
};

}  // namespace dlscope::app
