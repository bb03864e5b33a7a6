// UnchangedSharing: what an earlier snapshot says about sharing and what of it still holds.
// A cluster is a set of tensors of one space whose extents hang together. Whether two of them share bytes, and how many bytes its
// groups have, depends on nothing outside of it: its pairs and groups hold while all its tensors are there, unchanged and in
// the same order, and no other tensor reaches into it.
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
  // earlier: analysed; borrowed. unchanged: of find_unchanged(earlier, now). takes_part: by tensor of `now`, whether it has bytes
  // that are compared.
  UnchangedSharing(const Snapshot& earlier, const Snapshot& now, std::span<const std::uint32_t> unchanged,
                   std::span<const std::uint8_t> takes_part);

  // Whether all that this tensor of `now` shares is known already.
  [[nodiscard]] bool holds_for(std::uint32_t tensor) const {
    const std::uint32_t before = unchanged_[tensor];
    return before != kNone32 && id_now_[before] == tensor;
  }
  [[nodiscard]] bool empty() const { return clusters_.empty(); }
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }

  // found: of all other tensors that take part. The whole, in the order and with the numbers that find_sharing() gives.
  [[nodiscard]] Sharing join(Sharing found) const;

 private:
  struct Cluster {
    SpaceId space = kNoSpace;
    ByteRange range;
    std::uint32_t last_id = kNone32;  // of its tensors so far, in `now`
    bool changed = false;
  };

  void find_clusters();
  void note_new_tensors(const Snapshot& now, std::span<const std::uint8_t> takes_part);
  void note_lost_tensors();
  void note_open_questions();
  void forget_changed_clusters();
  [[nodiscard]] Cluster& cluster_of(std::uint32_t before) { return clusters_[cluster_of_tensor_[before]]; }
  [[nodiscard]] bool took_part(std::uint32_t before) const { return cluster_of_tensor_[before] != kNone32; }
  [[nodiscard]] std::vector<SharingPair> join_pairs(std::span<const SharingPair> found) const;
  void join_groups(Sharing& found) const;

  const Snapshot& earlier_;
  std::span<const std::uint32_t> unchanged_;
  std::vector<Cluster> clusters_;  // by ascending (space, begin)
  // By tensor of `earlier`. Lists of numbers, because each pass over the records themselves brings all of them into the cache.
  std::vector<std::uint32_t> cluster_of_tensor_;  // kNone32: it was not compared
  std::vector<std::uint32_t> id_now_;             // in `now`; kNone32: gone, changed or in a changed cluster
  std::size_t pair_count_ = 0;
};

}  // namespace dlscope::core
