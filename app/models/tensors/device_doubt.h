// Tensors of which it is not certain on which device they lie, because their producers contradict themselves or what was found, or
// because the device's memory may be the host's as well (oneAPI). Addresses compare inside one space only, so what such a tensor
// shares is known for the place that it claims, and unknown for any other. thread: any.
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

// The tensors of other spaces that have some of its addresses, of which it is not certain that their memory is another, each reason
// a sentence: "Whether it shares bytes with “x” (cpu) is unknown: they have the same addresses, and on which device “on_gpu”
// lies is contradicted."; "": none.
[[nodiscard]] std::string meets_elsewhere_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who);

// Whether there are two such tensors in the snapshot.
[[nodiscard]] bool some_meet_elsewhere(const core::Snapshot& snapshot);

}  // namespace dlscope::app
