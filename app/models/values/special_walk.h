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
  // Starts from the pinned element, or where the last walk was cut off; else from the beginning, or backward from the end.
  // pinned: an element of this tensor. nullopt: nothing to do; said() tells why.
  [[nodiscard]] std::optional<ValueTask> start(const core::SnapshotPtr& snapshot, std::uint32_t tensor,
                                               std::optional<std::uint64_t> pinned, bool forward);
  struct Step {
    std::optional<std::uint64_t> found;  // an element to pin
    std::optional<ValueTask> next;       // post this task to continue
  };
  [[nodiscard]] Step take(const ValueAnswer& answer);
  void stop() { walking_ = false; }
  void forget() {
    walking_ = false;
    from_.reset();
    said_.clear();
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  bool walking_ = false, forward_ = true;
  std::optional<std::uint64_t> from_;  // where a walk that was cut off continues
  std::string said_;
};

}  // namespace dlscope::app
