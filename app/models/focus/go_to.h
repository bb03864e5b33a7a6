// Parses what was typed into "Go to": an index, an address, a name, or a name with an index. Uses numbers only, reads no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct Destination {
  Focus focus;          // on nothing when there is a problem; without an element: the whole tensor
  std::string problem;  // a sentence; "" when all is well
  std::optional<std::uint64_t> field_value;  // instead of `focus`: the C-order number of one of the field's values
};

// "3, 4", "[3, 4]", "-1 0": an index into the selected tensor, negative from the end as in Python. "#17": its element number 17
// in C order. "0x5581 2e40 4a94": the element that holds this address, in the selected tensor if it does, else in its memory, in
// the host's or in any other. "x", "x[1, 2]".
// field_shape: of the values of the field that is shown, with the axes of its sub-array: an index with as many numbers is of one of
// these.
[[nodiscard]] Destination go_to(const SnapshotIndex& index, std::uint32_t selected, std::string_view text,
                                std::span<const std::int64_t> field_shape = {});

}  // namespace dlscope::app
