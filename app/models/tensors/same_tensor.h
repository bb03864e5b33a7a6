// The tensors of one snapshot found again in another: by name path first; where no name is known there, by the memory.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// Every name path of a snapshot; views into its text.
using NameIndex = std::unordered_map<std::string_view, std::uint32_t>;
[[nodiscard]] NameIndex names_of(const core::Snapshot& snapshot);

// The tensor of the other snapshot that the first of these names reaches which is known there; kNone32: none is.
[[nodiscard]] std::uint32_t same_name(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const NameIndex& others);

// Of two snapshots: dtype, shape, strides, device, and how and whether it was described.
[[nodiscard]] bool same_dtype(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                              const core::TensorRecord& b);
[[nodiscard]] bool same_layout(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                               const core::TensorRecord& b);
// Of one process: the same layout at the same address. Nothing lies at the address of an empty tensor: it has no place.
[[nodiscard]] bool same_place(const core::Snapshot& x, const core::TensorRecord& a, const core::Snapshot& y,
                              const core::TensorRecord& b);

// Which tensors of `before` are those of `now`, each way round.
struct TensorMatches {
  std::vector<std::uint32_t> was;      // by tensor of `now`: its id before; kNone32: none of its names was there
  std::vector<std::uint32_t> became;   // by tensor of `before`: its id now; kNone32: no name reaches it
  std::vector<bool> only_by_memory;  // by tensor of `now`: `was` has other names, and lay in the same place with the same layout
};

// thread: a worker. by_memory: the two are of one process, so that an address means the same in both. A tensor that is found by its
// memory is the one of before under another name, or another one in memory that was freed and given out again: that is not known.
[[nodiscard]] TensorMatches match_tensors(const core::Snapshot& before, const core::Snapshot& now, bool by_memory,
                                          const std::stop_token& stop = {});

}  // namespace dlscope::app
