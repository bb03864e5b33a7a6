// PairList: the list of pairs sorted by (a, b), in which each pair is written once, directly at its final place or, where the
// order of the second ids is not known in advance, among the pairs with the same first id. First all pairs are counted by the
// rank of their lower view (PlacedView::rank), then make_room() turns the counts into positions, then the pairs are written.
// thread: one at a time, but different ranks may be counted and written by different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/sharing/sharing_pair.h"

namespace dlscope::core {

class PairList {
 public:
  explicit PairList(std::size_t ranks) : of_rank_(ranks + 1) {}

  // By rank. To be filled with the number of pairs; less than 2^32 in total.
  [[nodiscard]] std::span<std::uint32_t> counts() { return of_rank_; }
  // Call it once, after counting. False: stopped; then the list is empty, and nothing may be written.
  [[nodiscard]] bool make_room(const std::stop_token& stop);

  // By rank: the position of its first pair; the last element is the number of pairs. Until compact(), all pairs are at their
  // places, and those that have not been written are SharingPair{}.
  [[nodiscard]] std::span<const std::uint32_t> starts() const { return of_rank_; }
  [[nodiscard]] std::span<SharingPair> pairs() { return pairs_; }

  // Sorts the pairs of one rank, of which the first `written` have been written, by b.
  void sort_by_b(std::uint32_t rank, std::uint32_t written);
  // Removes the pairs that have not been written.
  void compact();

  [[nodiscard]] std::vector<SharingPair> take() { return std::move(pairs_); }

 private:
  std::vector<std::uint32_t> of_rank_;  // counts, then start positions
  std::vector<SharingPair> pairs_;
  std::vector<std::uint64_t> keys_, other_keys_;  // of sort_by_b(): b << 32 | position
  std::vector<SharingPair> unsorted_;
};

}  // namespace dlscope::core
