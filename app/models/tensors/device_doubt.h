// Tensors whose producers contradict themselves, or what was found, about the device: addresses compare inside one space only, so
// what such a tensor shares is known for the place that it claims, and unknown for any other. thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// ", if it lies on cuda:0 as claimed, which is contradicted"; "" where it is not.
[[nodiscard]] std::string if_as_claimed(const core::Snapshot& snapshot, const core::TensorRecord& tensor);
// The same of the two of a pair.
[[nodiscard]] std::string if_as_claimed(const core::Snapshot& snapshot, const core::PairRecord& pair);

// The tensors of other spaces that have some of its addresses, of which it is not certain that their memory is another:
// "Whether it shares bytes with “x” (cpu) is unknown: at the same addresses, and the device of “on_gpu” is contradicted."; "": none.
[[nodiscard]] std::string meets_elsewhere_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who);

}  // namespace dlscope::app
