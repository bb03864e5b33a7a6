// MomentHistory: the looks that were taken at the script's tensors, oldest first. How much memory they may take is bounded, and the oldest
// give way. The newest is the snapshot that is shown, shared and not copied; the records of older ones are packed by a job, what is the same
// in several of them kept once.
// thread: UI; the moments themselves are read by jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/models/history/kept_moment.h"

namespace dlscope::app {

class MomentHistory {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMostMoments = 1000;
  explicit MomentHistory(std::size_t most_bytes = kMostBytes, std::size_t most_moments = kMostMoments)
      : most_bytes_(most_bytes), most_moments_(most_moments) {}

  // The newest is always kept, whatever its size. Returns its number.
  std::uint64_t keep(core::SnapshotPtr snapshot, std::uint64_t process, std::string time);
  // Of one that is kept; else nothing. marked_against: the snapshot that its marks are against, or null.
  void note_look(const core::SnapshotPtr& snapshot, std::vector<std::uint32_t> colours, const core::SnapshotPtr& marked_against);

  // What a job does next: packs the older moments that are still whole, and destroys those that gave way; both may take longer than a frame.
  // When it has, count_again() sees how much there is now, and whether more have to give way.
  [[nodiscard]] KeptMoments to_pack() const;
  [[nodiscard]] KeptMoments take_dropped() { return std::exchange(dropped_, {}); }
  [[nodiscard]] const std::shared_ptr<ChunkStore>& store() const { return store_; }
  void count_again() { give_way(); }

  [[nodiscard]] const KeptMoments& moments() const { return moments_; }
  [[nodiscard]] KeptMomentPtr find(std::uint64_t number) const;  // null: never there, or given up
  [[nodiscard]] KeptMomentPtr newest() const { return moments_.empty() ? nullptr : moments_.back(); }
  [[nodiscard]] KeptMomentPtr before(std::uint64_t number) const;  // the next older one that is kept
  [[nodiscard]] KeptMomentPtr after(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }  // how many of the oldest are no longer there
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }  // rises when a moment comes or goes

 private:
  [[nodiscard]] KeptMomentPtr moment_of(const core::SnapshotPtr& snapshot) const;
  [[nodiscard]] std::size_t count_bytes() const;
  void give_way();

  std::size_t most_bytes_, most_moments_;
  std::shared_ptr<ChunkStore> store_ = std::make_shared<ChunkStore>();
  KeptMoments moments_, dropped_;
  std::weak_ptr<const KeptMoment> leaving_;  // the packed one that gave way last
  std::uint64_t last_number_ = 0, given_up_ = 0, revision_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace dlscope::app
