// TensorTrail: which tensor of each kept moment was the one asked about, followed from moment to moment, and what it was there.
// What was found stays found: kept moments do not change. So a search that was stopped goes on where it was, and a new look adds
// one step.
// thread: any; a search has it to itself while it holds the lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

#include "app/models/history/kept_moment.h"
#include "app/models/history/tensor_excerpt.h"

namespace dlscope::app {

// A tensor and the one it is held against, by their ids in one moment; kNone32: there is none.
struct TrackedIds {
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  friend bool operator==(const TrackedIds&, const TrackedIds&) = default;
};

class TensorTrail {
 public:
  struct Step {
    TrackedIds ids;                                                    // in the older moment
    bool tensor_only_by_memory = false, other_only_by_memory = false;  // found there under other names
  };

  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // --- with the lock
  [[nodiscard]] const TensorExcerpt& excerpt(const KeptMoment& moment, TrackedIds ids);
  // From a moment to the one before it. Nothing is found when stopped.
  [[nodiscard]] Step back(const KeptMoment& now, TrackedIds ids, const KeptMoment& before, const std::stop_token& stop);
  void forget_before(std::uint64_t moment);  // older ones were given up
  [[nodiscard]] std::size_t size() const { return excerpts_.size(); }

 private:
  struct KnownExcerpt {
    TrackedIds ids;
    TensorExcerpt excerpt;
  };
  struct KnownStep {
    TrackedIds from;
    Step step;
  };
  std::mutex mutex_;
  std::map<std::uint64_t, KnownExcerpt> excerpts_;  // by number of the moment: the last one asked for
  std::map<std::uint64_t, KnownStep> steps_;        // by number of the moment they lead away from
};
using TensorTrailPtr = std::shared_ptr<TensorTrail>;

}  // namespace dlscope::app
