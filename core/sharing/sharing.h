// Who shares bytes with whom among many views: all pairs whose extents meet, and the groups connected by shared bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/sharing/overlap.h"
#include "core/sharing/sharing_pair.h"

namespace dlscope::core {

struct SharingItem {
  std::uint32_t id = 0;  // the caller's number; pairs and groups speak of it
  SpaceId space = kNoSpace;
  MemoryView view;                               // items with an empty extent or kNoSpace share with nobody and get no group
  std::uint64_t distinct_bytes = kUnknownBytes;  // where the caller has counted them already
};

// Tensors connected through shared bytes (an interleaved pair is not connected by itself).
struct SharingGroup {
  ByteRange range;                                   // hull of its members' extents
  std::uint64_t distinct_bytes = 0;                  // of the union of all members; kUnknownBytes when it could not be counted
  std::uint32_t first_member = 0, member_count = 0;  // in Sharing::members
  SpaceId space = kNoSpace;
};

struct SharingLimits {
  std::uint64_t max_pairs = 1'000'000;          // then pairs stop, groups stay exact
  OverlapBudget budget;                         // per pair
  std::uint64_t work = std::uint64_t{1} << 33;  // of all pairs together, in the unit of budget.work; then hard pairs are unknown
  // At most so many; 0: up to four, where there are enough views. The answer is the same for any number.
  std::size_t threads = 0;
  std::stop_token stop;
};

struct Sharing {
  std::vector<SharingPair> pairs;      // sorted by (a, b)
  std::vector<SharingGroup> groups;    // sorted by (space, range.begin)
  std::vector<std::uint32_t> members;  // ids, group by group, ascending in each
  // Why pairs with meeting extents may be missing from the list: none, pair_bound or stopped.
  UnknownWhy missing_pairs = UnknownWhy::none;
  // Why views of different groups may share bytes all the same: none, over_budget or stopped.
  UnknownWhy open_groups = UnknownWhy::none;

  [[nodiscard]] std::span<const std::uint32_t> members_of(const SharingGroup& group) const {
    return std::span(members).subspan(group.first_member, group.member_count);
  }
};

// thread: any worker. Sort by extent and sweep; equal (address, layout) views are compared once.
[[nodiscard]] Sharing find_sharing(std::span<const SharingItem> items, const SharingLimits& limits = {});

// One pair of views as find_sharing() would list it, or disjoint. thread: any.
[[nodiscard]] SharingPair compare_views(std::uint32_t id_a, const MemoryView& a, std::uint32_t id_b, const MemoryView& b,
                                        const OverlapBudget& budget = {});

}  // namespace dlscope::core
