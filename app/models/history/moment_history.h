// MomentHistory: the looks that were taken at the script's tensors, oldest first. A kept moment is the snapshot that was shown, shared
// and not copied; how much memory they may take is bounded, and the oldest give way.
// thread: UI; the moments themselves are immutable and read by jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct KeptMoment {
  std::uint64_t number = 0;  // 1 is the first of the session; never given again
  core::SnapshotPtr snapshot;
  std::uint64_t process = 0;  // Timeline's: addresses mean the same in moments of one process
  std::string time;           // of the day, when it arrived: "14:05:09"
  std::size_t bytes = 0;      // of its records
};
using KeptMomentPtr = std::shared_ptr<const KeptMoment>;
using KeptMoments = std::vector<KeptMomentPtr>;

// How a moment was shown: what depends on the looks before it, to be shown the same again.
struct MomentLook {
  std::vector<std::uint32_t> colours;                // by memory group
  std::weak_ptr<const core::Snapshot> marked_against;  // the last look of the run before; null: nothing was marked
  bool shown = false;
};

class MomentHistory {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMostMoments = 1000;
  explicit MomentHistory(std::size_t most_bytes = kMostBytes, std::size_t most_moments = kMostMoments)
      : most_bytes_(most_bytes), most_moments_(most_moments) {}

  // The newest is always kept, whatever its size. Returns its number.
  std::uint64_t keep(core::SnapshotPtr snapshot, std::uint64_t process, std::string time);
  void note_look(const core::SnapshotPtr& snapshot, MomentLook look);  // of one that is kept; else nothing

  [[nodiscard]] const KeptMoments& moments() const { return moments_; }
  [[nodiscard]] KeptMomentPtr find(std::uint64_t number) const;  // null: never there, or given up
  [[nodiscard]] KeptMomentPtr newest() const { return moments_.empty() ? nullptr : moments_.back(); }
  [[nodiscard]] KeptMomentPtr before(std::uint64_t number) const;  // the next older one that is kept
  [[nodiscard]] KeptMomentPtr after(std::uint64_t number) const;
  [[nodiscard]] const MomentLook* look_of(std::uint64_t number) const;  // null: it was never on the screen
  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }    // how many of the oldest are no longer there
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }  // rises with every change

 private:
  [[nodiscard]] std::size_t place_of(std::uint64_t number) const;  // moments_.size(): not there

  std::size_t most_bytes_, most_moments_;
  KeptMoments moments_;
  std::vector<MomentLook> looks_;  // of each of moments_
  std::uint64_t last_number_ = 0, given_up_ = 0, revision_ = 0;
  std::size_t bytes_ = 0;
};

// "run 3", "run 3, looked again", "run 3, stop at train.py:12 in step()".
[[nodiscard]] std::string moment_title(const core::Snapshot& snapshot);
// The same, short: "run 3", "3 · :12".
[[nodiscard]] std::string moment_label(const core::Snapshot& snapshot);

}  // namespace dlscope::app
