// What is known where no pair is listed: a tensor is alone, or the analysis left open whether it is, and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

enum class Unpaired : std::uint8_t {
  no_bytes,       // it has no elements
  bytes_unknown,  // which bytes it has is not known, whatever was compared
  alone,          // it shares no byte with any tensor whose bytes are known
  shares,         // its group says that it shares; the pairs are not listed
  open,           // the analysis did not come to it
};

// For a tensor of which no listed pair shares bytes.
[[nodiscard]] Unpaired unpaired(const SnapshotIndex& index, std::uint32_t id);

// The same as a sentence that begins with `who`: "It shares no byte with any other listed tensor."
[[nodiscard]] std::string unpaired_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who);

// Of a snapshot without any pair: "No two tensors share bytes." `bytes_unknown`: of how many tensors they are not known.
[[nodiscard]] std::string no_pairs_sentence(const core::Snapshot& snapshot, std::uint64_t bytes_unknown);

// "The list of pairs was cut short: the analysis was stopped."; "" for a list that is whole.
[[nodiscard]] std::string cut_short_sentence(const core::Snapshot& snapshot);

}  // namespace dlscope::app
