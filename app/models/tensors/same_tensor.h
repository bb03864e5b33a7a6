// Finds the tensors of one snapshot in another: by name path; where no name is known there, by address and layout.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// All name paths of a snapshot; the keys are views into its text.
using NameIndex = std::unordered_map<std::string_view, std::uint32_t>;
[[nodiscard]] NameIndex names_of(const core::Snapshot& snapshot);

// The other snapshot's tensor with the first of these names that exists there; kNone32: none does.
[[nodiscard]] std::uint32_t same_name(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const NameIndex& others);

// Comparisons across two snapshots. same_layout: dtype, shape, strides, device, and how and whether the tensor was described.
[[nodiscard]] bool same_dtype(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                              const core::TensorRecord& b);
[[nodiscard]] bool same_layout(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                               const core::TensorRecord& b);
// Within one process: the same layout at the same address. Always false for an empty tensor, which occupies no memory.
[[nodiscard]] bool same_place(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                              const core::TensorRecord& b);

// Which tensors of `before` and `now` are the same, in both directions.
struct TensorMatches {
  std::vector<std::uint32_t> was;      // by tensor of `now`: its id in `before`; kNone32: it was not there
  std::vector<std::uint32_t> became;   // by tensor of `before`: its id in `now`; kNone32: it is not there
  std::vector<bool> only_by_memory;  // by tensor of `now`: matched by address and layout, under other names
};

// thread: a worker. by_memory: also match by address; only for two snapshots of one process. Such a match may be the same tensor
// under another name, or another tensor in memory that was freed and reused: which of the two is not known.
[[nodiscard]] TensorMatches match_tensors(const core::Snapshot& before, const core::Snapshot& now, bool by_memory,
                                          const std::stop_token& stop = {});

}  // namespace dlscope::app
