// SnapshotIndex: a snapshot with what the views need for answers in bounded time: names, pairs by tensor, colours, the memory
// map. Immutable; a worker builds it when a snapshot arrives, then the UI thread reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/last_looks.h"
#include "app/models/tensors/memory_map.h"
#include "app/models/tensors/run_marks.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct SnapshotIndex {
  core::SnapshotPtr snapshot;                                   // never null
  std::unordered_map<std::string_view, std::uint32_t> by_name;  // every name path; views into the snapshot's text
  std::vector<std::uint32_t> pair_first;                        // pairs of tensor t: pair_ids[pair_first[t] .. pair_first[t + 1])
  std::vector<std::uint32_t> pair_ids;  // strongest first: most shared bytes, then the partner found first
  std::vector<std::uint32_t> colours;   // colour number per group
  MemoryMap map;
  RunMarks marks;                           // against bases.usual(), unless a person chose another moment
  MarkBases bases;
  std::uint64_t shared_groups = 0;          // groups with more than one tensor
  std::uint32_t suggested = core::kNone32;  // the default selection: the first tensor that shares bytes, else the first
  std::uint64_t refused = 0;                // tensors no protocol described
  std::uint64_t with_problems = 0;          // tensors with at least one problem remark
  std::uint64_t bytes_unknown = 0;          // tensors whose set of bytes is unknown
  std::string no_pairs;                     // no_pairs_sentence() of a snapshot without pairs
  std::uint64_t value_bytes = 0;            // to read for the values of all tensors; what two share is read twice

  [[nodiscard]] const core::TensorRecord& tensor(std::uint32_t id) const { return snapshot->tensors[id]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(snapshot->tensors.size()); }
  [[nodiscard]] std::span<const std::uint32_t> pairs_of(std::uint32_t id) const {
    return {pair_ids.data() + pair_first[id], pair_first[id + 1] - pair_first[id]};
  }
  // Why pairs of this tensor may be missing from the list. Never a reason if it is alone at its addresses and mapped once.
  [[nodiscard]] core::UnknownWhy missing_pairs_of(std::uint32_t id) const;
  [[nodiscard]] const core::PairRecord& pair(std::uint32_t id) const { return snapshot->pairs[id]; }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name_path) const;
  // The colour number; core::kNone32 for a tensor without memory.
  [[nodiscard]] std::uint32_t colour_of(const core::TensorRecord& tensor) const {
    return tensor.group == core::kNone32 ? core::kNone32 : colours[tensor.group];
  }
};

using IndexPtr = std::shared_ptr<const SnapshotIndex>;

// bases: to mark what the run or the step changed.
// thread: a worker; `colours` by one thread at a time. Null when stopped.
[[nodiscard]] IndexPtr build_index(core::SnapshotPtr snapshot, GroupColours& colours, const std::stop_token& stop = {},
                                   MarkBases bases = {});

// For a past moment, or for marks against a chosen moment: uses the colours it was shown with (empty: it was never shown, then
// numbers are taken from `colours`, which is not changed).
// thread: a worker. Null when stopped.
[[nodiscard]] IndexPtr build_past_index(core::SnapshotPtr snapshot, std::vector<std::uint32_t> had_colours,
                                        const GroupColours& colours, MarkBases bases, MarkedAgainst against,
                                        const std::stop_token& stop = {});

// "24 tensors in 11 memory groups; 2 are new, 1 changed, 3 are gone since the last stop."
[[nodiscard]] std::string found_sentence(const SnapshotIndex& index);

}  // namespace dlscope::app
