// For a tensor without a listed pair: whether it shares nothing, or that is unknown, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

enum class Unpaired : std::uint8_t {
  no_bytes,       // it has no elements
  bytes_unknown,  // which bytes it touches is unknown
  alone,          // it shares no byte with any tensor whose bytes are known
  shares,         // its group has other tensors, but the pairs are not listed
  open,           // the analysis ended before it decided this
};

// For a tensor of which no listed pair shares bytes.
[[nodiscard]] Unpaired unpaired(const SnapshotIndex& index, std::uint32_t id);

// The same as a sentence that begins with `who`: "It shares no byte with any other listed tensor."
[[nodiscard]] std::string unpaired_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who);

// For a snapshot without any pair: "No two tensors share bytes." bytes_unknown: the number of tensors whose bytes are unknown.
// Not cheap: looks at every tensor.
[[nodiscard]] std::string no_pairs_sentence(const core::Snapshot& snapshot, std::uint64_t bytes_unknown);

// "The list of pairs was cut short: the analysis was stopped."; "" when the list is complete.
[[nodiscard]] std::string cut_short_sentence(const core::Snapshot& snapshot);

}  // namespace dlscope::app
