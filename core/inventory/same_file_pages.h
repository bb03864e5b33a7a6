// Tensors that show the same pages of a file at different addresses, where a mapping is private: whether they share bytes is not
// known, because a private page is the file's own until it is written, and then a copy. The same is said where a tensor lies over
// several mappings, which PageAliases does not compare.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/memory/page_aliases.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

struct FilePagePairs {
  std::vector<SharingPair> pairs;      // unknown, by same_file_pages; sorted by (a, b)
  std::vector<std::uint32_t> tensors;  // those of the pairs, ascending; if pairs are missing, all that may be in one
  UnknownWhy missing_pairs = UnknownWhy::none;
  bool over_budget = false;  // a pair is listed because comparing it would have taken more than limits.work
};

// Among the tensors with takes_part[id] != 0, those that page_shift does not already compare. A pair of which each tensor lies in
// one mapping is left out if its bytes differ even where all pages are the file's; those comparisons together take at most
// limits.work. thread: any worker.
[[nodiscard]] FilePagePairs pairs_in_same_file_pages(const Snapshot& snapshot, std::span<const std::uint8_t> takes_part,
                                                      const PrivateAliases& aliases, const SharingLimits& limits);

}  // namespace dlscope::core
