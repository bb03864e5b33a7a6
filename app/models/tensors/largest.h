// The tensors that hold most of the memory: the first thing to know after a MemoryError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct LargePart {
  std::string name;         // of the largest tensor in this memory
  std::uint64_t bytes = 0;  // distinct bytes of the tensors in this memory
  std::size_t others = 0;   // other tensors that share it
};
// Memory that several tensors share counts once. Largest first.
[[nodiscard]] std::vector<LargePart> largest_parts(const core::Snapshot& snapshot, std::size_t most);

// Whether the run ended because memory ran out, by the exception's name or words, or by the name of what caused it.
[[nodiscard]] bool is_out_of_memory(const core::RunOutcome& outcome);

// "Alive when memory ran out, biggest first: weights 4.0 GiB (with 2 views), x 80 MB."; "" when there is no tensor.
[[nodiscard]] std::string alive_text(const core::Snapshot& snapshot);

}  // namespace dlscope::app
