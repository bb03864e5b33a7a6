// TensorTrail: a cache for since_when: the id of the tensor in question in each kept moment, followed from moment to moment, and
// its excerpt there. Kept moments never change, so entries stay valid: a stopped search continues where it was, and a new
// snapshot adds one step.
// thread: any; a search holds the lock all the time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

#include "app/models/history/kept_moment.h"
#include "app/models/history/tensor_excerpt.h"

namespace dlscope::app {

// A tensor and the one it is compared with, by their ids in one moment; kNone32: none.
struct TrackedIds {
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  friend bool operator==(const TrackedIds&, const TrackedIds&) = default;
};

class TensorTrail {
 public:
  struct Step {
    TrackedIds ids;                                                    // in the older moment
    bool tensor_only_by_memory = false, other_only_by_memory = false;  // matched by address and layout, under other names
  };

  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // --- call with the lock held
  [[nodiscard]] const TensorExcerpt& excerpt(const KeptMoment& moment, TrackedIds ids);
  // One step from a moment to the one before it. Finds nothing when stopped.
  [[nodiscard]] Step back(const KeptMoment& now, TrackedIds ids, const KeptMoment& before, const std::stop_token& stop);
  void forget_before(std::uint64_t moment);  // older moments were dropped
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
  std::map<std::uint64_t, KnownExcerpt> excerpts_;  // by moment: the last one asked for
  std::map<std::uint64_t, KnownStep> steps_;        // by the moment that the step starts from
};
using TensorTrailPtr = std::shared_ptr<TensorTrail>;

}  // namespace dlscope::app
