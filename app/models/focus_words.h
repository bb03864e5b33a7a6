// The sentence of the status bar: what the focus is on, its address formula, who else holds the same bytes.
#pragma once

#include <string>

#include "app/models/focus.h"
#include "app/models/snapshot_index.h"

namespace dlscope::app {

// "" when the focus is on nothing. Bounded: looks at a few partners only.
[[nodiscard]] std::string focus_sentence(const SnapshotIndex& index, const Focus& focus);

// The focus for an address inside a tensor: the element that contains it, when one does.
// Its work is bounded: a layout that needs more is left without an element.
[[nodiscard]] Focus focus_at(const SnapshotIndex& index, std::uint32_t tensor, core::Address address);

// The focus on element `element` (a C-order number) of a tensor; on the whole tensor when there is no such element.
[[nodiscard]] Focus focus_on(const SnapshotIndex& index, std::uint32_t tensor, std::uint64_t element);

}  // namespace dlscope::app
