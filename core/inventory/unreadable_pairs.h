// The pairs of tensors that may share bytes but cannot be compared, because one of the two claims memory that cannot be read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

struct UnreadablePairs {
  std::vector<SharingPair> pairs;  // unknown, by unreadable; sorted by (a, b)
  UnknownWhy missing_pairs = UnknownWhy::none;  // pair_bound or stopped; none: the list is complete
};

// Lists the pairs of one space whose extents meet and of which at least one tensor has is_doubtful[id] != 0, the other that or
// is_compared[id] != 0. Nothing is compared: a sweep over the extents, in time for sorting and for the pairs listed. At most
// `max_pairs`. Stopped: those listed by then, or none if they had not been sorted yet. thread: any worker.
[[nodiscard]] UnreadablePairs pairs_with_unreadable(const Snapshot& snapshot, std::span<const std::uint8_t> is_doubtful,
                                                    std::span<const std::uint8_t> is_compared, std::uint64_t max_pairs,
                                                    const std::stop_token& stop);

}  // namespace dlscope::core
