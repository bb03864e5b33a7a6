// TouchCounts: how often the bytes of the tensors that were looked at are reached by their own elements, counted or being
// counted. The key is the layout and the address, so that a new scan of the same memory keeps the counts. Counts nothing itself.
// thread: UI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/sharing/touch_count.h"

namespace dlscope::app {

// The most runs that are kept of a tensor: a frame walks those in sight.
inline constexpr std::size_t kMostTouchedRuns = std::size_t{1} << 16;

struct TouchAnswer {
  enum class Phase : std::uint8_t { counting, done, over_budget, cancelled, failed };
  std::uint64_t id = 0;  // number of this count
  Phase phase = Phase::counting;
  std::shared_ptr<const core::TouchCount> found;  // of the whole tensor; set exactly if done
  std::string why;                                // failed: why
};

class TouchCounts {
 public:
  static constexpr std::size_t kMaxTensors = 16;  // the oldest are dropped first; one can have a megabyte of runs

  // Null: not counted and not being counted.
  [[nodiscard]] const TouchAnswer* find(const core::Snapshot& snapshot, std::uint32_t tensor) const;
  // Begins a count; what was known of the tensor is dropped. Returns its number.
  std::uint64_t begin(const core::Snapshot& snapshot, std::uint32_t tensor);
  // These ignore a count that was dropped.
  void end(std::uint64_t id, TouchAnswer::Phase how, std::shared_ptr<const core::TouchCount> found, std::string why = {});
  void drop(std::uint64_t id);
  // Rises with every change.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  using Key = std::vector<std::int64_t>;  // address, bits of an item, shape, strides
  [[nodiscard]] static Key key_of(const core::Snapshot& snapshot, std::uint32_t tensor);

  std::map<Key, TouchAnswer> answers_;
  std::uint64_t last_id_ = 0, revision_ = 0;
};

// Whether some byte of the tensor may be reached by more than one element, as far as the scan has counted.
[[nodiscard]] bool may_touch_again(const core::TensorRecord& tensor);

}  // namespace dlscope::app
