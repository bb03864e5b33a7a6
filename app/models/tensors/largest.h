// What holds most of the memory: after a MemoryError, the first thing to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct LargePart {
  std::string name;         // of the largest tensor there
  std::uint64_t bytes = 0;  // that the tensors there touch together
  std::size_t others = 0;   // tensors that share it
};
// Memory that tensors share counts once. Biggest first.
[[nodiscard]] std::vector<LargePart> largest_parts(const core::Snapshot& snapshot, std::size_t most);

// Python's, NumPy's or a library's: by the name of the exception.
[[nodiscard]] bool is_out_of_memory(const core::RunOutcome& outcome);

// "Alive when memory ran out, biggest first: weights 4.0 GiB (with 2 views), x 80 MB."; "" where no tensor was found.
[[nodiscard]] std::string alive_text(const core::Snapshot& snapshot);

}  // namespace dlscope::app
