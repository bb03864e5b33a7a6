// The tensors of one piece of memory as the view Life lists them: which of them keep it, and how that is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/exchange/life_answer.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// One that has to go before the bytes are freed, or may have to.
struct LifeRow {
  std::string name, type, how;
  std::uint32_t tensor = core::kNone32;  // kNone32: no tensor of the snapshot has this name
  std::uint32_t colour = core::kNone32;  // of its memory group
  bool keeps = false;                    // its library says so; false: it does not say
};
// In the order of the snapshot, which is that of the script's names: along a chain of hand-overs.
[[nodiscard]] std::vector<LifeRow> life_rows(const LifeAnswer& life, const SnapshotIndex& index);

// The other tensors in the same bytes, and then those elsewhere in the same allocation.
[[nodiscard]] std::vector<std::uint32_t> others_of_memory(const core::Snapshot& snapshot, std::uint32_t tensor);
// How many bytes of the tensor's allocation the snapshot's tensors use, as far as it is known.
[[nodiscard]] std::uint64_t used_bytes_of_memory(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
