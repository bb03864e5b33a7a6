// Parses what was typed to get to a byte: an address, an element, or one of them with an offset. Uses numbers only, reads no
// memory.
#pragma once

#include <string>
#include <string_view>

#include "app/models/tensors/snapshot_index.h"
#include "core/base/address.h"

namespace dlscope::app {

struct HexDestination {
  core::Address address = 0;
  core::SpaceId space = core::kHostSpace;
  std::uint32_t tensor = core::kNone32;  // the tensor whose element was named; kNone32: an address was typed
  std::string problem = {};                   // a sentence; "": none
};

// "0x5581 2e40 4a94" and decimal numbers are addresses. "x" is the first element of x, "x[3, 7]" and "[3, 7]" are elements
// (negative indices count from the end), "#17" is an element's C-order number. Each may be followed by "+ 0x40" or "- 64", in
// bytes; "+0x40" alone counts from the first element of the selected tensor. index may be null: then only addresses are
// understood.
[[nodiscard]] HexDestination hex_destination(const SnapshotIndex* index, std::uint32_t selected, std::string_view text);

}  // namespace dlscope::app
