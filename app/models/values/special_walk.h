// SpecialWalk: from one special value of a tensor to the next or the previous one, a stretch at a time in a worker, for every view that
// has keys for it.
// thread: UI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/values/value_task.h"

namespace dlscope::app {

class SpecialWalk {
 public:
  // From the pin, or from where the last walk was cut off; without either from the nearer end. pinned: an element of this tensor.
  // nullopt: there is nothing to do, and said() tells why.
  [[nodiscard]] std::optional<ValueTask> start(const core::SnapshotPtr& snapshot, std::uint32_t tensor,
                                               std::optional<std::uint64_t> pinned, bool forward);
  struct Step {
    std::optional<std::uint64_t> found;  // an element: pin it
    std::optional<ValueTask> next;       // goes on with this
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
  std::optional<std::uint64_t> from_;  // where a walk that was cut off goes on
  std::string said_;
};

}  // namespace dlscope::app
