// MomentHistory: the snapshots of the script's tensors, oldest first. Their memory is bounded: the oldest are dropped. The newest
// is the shown snapshot itself, not a copy; a job packs older ones, which share equal records.
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
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
  static constexpr std::size_t kMaxMoments = 1000;
  explicit MomentHistory(std::size_t most_bytes = kMaxBytes, std::size_t most_moments = kMaxMoments)
      : most_bytes_(most_bytes), most_moments_(most_moments) {}

  // The newest is kept whatever its size. Returns its number.
  std::uint64_t keep(core::SnapshotPtr snapshot, std::uint64_t process, std::string time);
  // Notes how a kept moment was shown; ignored for other snapshots. marked_against: the snapshot that its marks compare with, or
  // null.
  void note_look(const core::SnapshotPtr& snapshot, std::vector<std::uint32_t> colours, const core::SnapshotPtr& marked_against);

  // For a job, because both may take longer than a frame: packing the older moments that are still whole, and destroying dropped
  // ones. Afterwards count_again() measures the memory again and drops more where needed.
  [[nodiscard]] KeptMoments to_pack() const;
  [[nodiscard]] KeptMoments take_dropped() { return std::exchange(dropped_, {}); }
  [[nodiscard]] const std::shared_ptr<ChunkStore>& store() const { return store_; }
  void count_again() { give_way(); }

  [[nodiscard]] const KeptMoments& moments() const { return moments_; }
  [[nodiscard]] KeptMomentPtr find(std::uint64_t number) const;  // null: it never existed, or was dropped
  [[nodiscard]] KeptMomentPtr newest() const { return moments_.empty() ? nullptr : moments_.back(); }
  [[nodiscard]] KeptMomentPtr before(std::uint64_t number) const;  // the next older one that is kept
  [[nodiscard]] KeptMomentPtr after(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }  // how many of the oldest were dropped
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
  std::weak_ptr<const KeptMoment> leaving_;  // the last dropped moment that was packed
  std::uint64_t last_number_ = 0, given_up_ = 0, revision_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace dlscope::app
