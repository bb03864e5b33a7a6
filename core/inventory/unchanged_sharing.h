// UnchangedSharing: the pairs and groups of an earlier snapshot that still hold.
// A cluster is a maximal set of tensors of one space whose extents overlap in a chain (the union of the extents has no gap).
// Pairs and groups of a cluster depend on nothing outside it. They still hold if all its tensors are there, unchanged and in the
// same order, and no other tensor's extent meets the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

class UnchangedSharing {
 public:
  // earlier: an analysed snapshot. unchanged: the result of find_unchanged(earlier, now). takes_part: by tensor of `now`, whether
  // its bytes are compared. Borrows `earlier` and `unchanged`.
  UnchangedSharing(const Snapshot& earlier, const Snapshot& now, std::span<const std::uint32_t> unchanged,
                   std::span<const std::uint8_t> takes_part);

  // Whether everything that this tensor of `now` shares is known from the earlier snapshot.
  [[nodiscard]] bool holds_for(std::uint32_t tensor) const {
    const std::uint32_t before = unchanged_[tensor];
    return before != kNone32 && id_now_[before] == tensor;
  }
  // Tensors for which holds_for(), and their pairs.
  [[nodiscard]] std::size_t tensor_count() const { return tensor_count_; }
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }

  // found: the result for all other tensors that take part. Returns the result
  // for all, in the order and with the numbers that find_sharing() would give.
  [[nodiscard]] Sharing join(Sharing found) const;

 private:
  struct Cluster {
    SpaceId space = kNoSpace;
    ByteRange range;
    std::uint32_t last_id = kNone32;  // the id in `now` of its tensor visited last
    std::uint32_t shift = 0;          // what is added to the ids of its tensors (modulo 2^32), if is_shifted
    bool changed = false;
    bool is_shifted = true;  // all its tensors' ids have changed by `shift`, and no pair with a tensor outside it is listed
  };
  // Consecutive tensors of `earlier` whose results hold and whose ids have changed by the same number.
  struct Run {
    std::uint32_t before, count, shift;
    bool is_shifted;                   // so have the ids of all that they share bytes with
    std::uint32_t first_pair = 0, pairs = 0;  // in earlier.pairs; those whose lower id is in the run
  };

  void find_clusters();
  void note_new_tensors(const Snapshot& now, std::span<const std::uint8_t> takes_part);
  void note_lost_tensors();
  void note_open_questions();
  void forget_changed_clusters();
  void find_runs();
  void find_pairs_of_runs();
  [[nodiscard]] Cluster& cluster_of(std::uint32_t before) { return clusters_[cluster_of_tensor_[before]]; }
  [[nodiscard]] bool took_part(std::uint32_t before) const { return cluster_of_tensor_[before] != kNone32; }
  [[nodiscard]] std::vector<SharingPair> join_pairs(std::span<const SharingPair> found) const;
  void add_pairs_of(const Run& run, std::vector<SharingPair>& out) const;
  void join_groups(Sharing& found) const;

  const Snapshot& earlier_;
  std::span<const std::uint32_t> unchanged_;
  std::vector<Cluster> clusters_;  // by ascending (space, begin)
  // By tensor of `earlier`. Separate small arrays, because a pass over the records would load all of them into the cache.
  std::vector<std::uint32_t> cluster_of_tensor_;  // kNone32: was not compared
  std::vector<std::uint32_t> id_now_;             // in `now`; kNone32: gone, changed or in a changed cluster
  std::vector<Run> runs_;                         // by the ids in `now`
  std::size_t tensor_count_ = 0, pair_count_ = 0;
};

}  // namespace dlscope::core
