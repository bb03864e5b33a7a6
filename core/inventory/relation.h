// What a snapshot knows about how two of its tensors relate. The one place that answers, for the window, --expect and the
// Python module alike; the words are theirs, the reasons for "unknown" are in core/sharing/unknown_why.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Why it is not known which bytes are the tensor's: not_described, no_layout, no_address, null_data or unreadable.
// none: they are known, or it has none.
[[nodiscard]] UnknownWhy why_bytes_unknown(const Snapshot& snapshot, const TensorRecord& tensor);

// How many tensors there are of which it is not known.
[[nodiscard]] std::uint64_t count_bytes_unknown(const Snapshot& snapshot);

// How tensors a and b relate: as the list of pairs says; what is not listed is decided by where both lie or, where their
// extents meet, worked out within `budget`. The ids come back in ascending order, relation and witness turned with them.
// Needs a != b. thread: any.
[[nodiscard]] PairRecord relation_between(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b,
                                          const OverlapBudget& budget = {});

// The C-order numbers of the elements of pair.a and pair.b that contain the pair's witness: the lowest such number of each.
// nullopt: the pair has no witness, or finding them takes more work than `budget` allows (usual layouts take some ten
// nanoseconds). Worked out for the pairs that somebody looks at: the list would be half as long again with them.
struct WitnessElements {
  std::uint64_t a = 0, b = 0;
};
[[nodiscard]] std::optional<WitnessElements> witness_elements(const Snapshot& snapshot, const PairRecord& pair,
                                                              const OverlapBudget& budget = {});

// The tensor of an unknown pair that the reason is about; kNone32 when it is about neither.
[[nodiscard]] std::uint32_t subject_of(const Snapshot& snapshot, const PairRecord& pair);

// Why an unknown pair is unknown, as a clause; the library's own words where it refused a tensor, or what is wrong with its struct,
// since both say more. a, b: what to call the two.
[[nodiscard]] std::string text_for_unknown(const Snapshot& snapshot, const PairRecord& pair, std::string_view a,
                                           std::string_view b);

}  // namespace dlscope::core
