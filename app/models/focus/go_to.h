// Parses what was typed into "Go to": an index, an address, a name, or a name with an index. Uses numbers only, reads no memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct Destination {
  Focus focus;          // on nothing when there is a problem; without an element: the whole tensor
  std::string problem;  // a sentence; "" when all is well
};

// "3, 4", "[3, 4]", "-1 0": an index into the selected tensor, negative from the end as in Python. "#17": its element number 17
// in C order. "0x5581 2e40 4a94": the element that holds this address, in the selected tensor if it does. "x", "x[1, 2]".
[[nodiscard]] Destination go_to(const SnapshotIndex& index, std::uint32_t selected, std::string_view text);

}  // namespace dlscope::app
