// Sharing among many views: all pairs whose extents meet, and the groups of views connected by shared bytes.
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
  std::uint32_t id = 0;  // chosen by the caller; pairs and groups refer to it
  SpaceId space = kNoSpace;
  MemoryView view;                               // an item with an empty extent or kNoSpace is in no pair and no group
  std::uint64_t distinct_bytes = kUnknownBytes;  // if the caller has counted them already
};

// Views connected through shared bytes, directly or through others. (An interleaved pair shares no byte, so it is not connected.)
struct SharingGroup {
  ByteRange range;                                   // hull of its members' extents
  std::uint64_t distinct_bytes = 0;                  // of the union of all members; kUnknownBytes if it could not be counted
  std::uint32_t first_member = 0, member_count = 0;  // in Sharing::members
  SpaceId space = kNoSpace;
};

struct SharingLimits {
  std::uint64_t max_pairs = 1'000'000;          // beyond it no more pairs are listed; groups stay exact
  OverlapBudget budget;                         // per pair
  std::uint64_t work = std::uint64_t{1} << 33;  // of all pairs together, in the unit of budget.work; then hard pairs are unknown
  // The most threads to use; 0: up to four if there are enough views. The result is the same for any number.
  std::size_t threads = 0;
  std::stop_token stop;
};

struct Sharing {
  std::vector<SharingPair> pairs;      // sorted by (a, b)
  std::vector<SharingGroup> groups;    // sorted by (space, range.begin)
  std::vector<std::uint32_t> members;  // ids, group by group, ascending in each
  // Why pairs with meeting extents may be missing from the list: pair_bound or stopped; none: the list is complete.
  UnknownWhy missing_pairs = UnknownWhy::none;
  // Why views of different groups may share bytes nevertheless: over_budget or stopped; none: they do not.
  UnknownWhy open_groups = UnknownWhy::none;
  std::uint64_t spent = 0;  // of SharingLimits::work

  [[nodiscard]] std::span<const std::uint32_t> members_of(const SharingGroup& group) const {
    return std::span(members).subspan(group.first_member, group.member_count);
  }
};

// Finds all pairs and groups: sorts the extents and sweeps over them; views with equal (address, layout) are compared once.
// `items` and their layouts are borrowed during the call. Blocks; starts up to limits.threads - 1 threads. thread: any worker.
[[nodiscard]] Sharing find_sharing(std::span<const SharingItem> items, const SharingLimits& limits = {});

// One pair of views of one space, as find_sharing() would list it, or disjoint. thread: any.
[[nodiscard]] SharingPair compare_views(std::uint32_t id_a, const MemoryView& a, std::uint32_t id_b, const MemoryView& b,
                                        const OverlapBudget& budget = {});

}  // namespace dlscope::core
