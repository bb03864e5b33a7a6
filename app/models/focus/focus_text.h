// The status bar's text about the focus: its place, address formula, value, and which other tensors hold the same bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// The text in pieces, each with shorter forms, so that a narrow bar can leave out the least important ones.
struct FocusLine {
  std::string place = {};       // "x[1, 1]", or "x: float32 3 × 4" for a whole tensor
  std::string formula = {};     // "0x5581 2e40 4a94 = data + 0 + (1·4 + 1·1)·4 B"
  std::string address = {};     // "0x5581 2e40 4a94"
  std::string value = {};       // "5.0"; set by the caller, who can read memory
  std::string also = {};        // "also y[1, 1], t[1, 1]", or the relation of a whole tensor
  std::string also_names = {};  // of a whole tensor: "shares bytes with y, t and 1 more"
  std::string also_few = {};    // "also y[1, 1] and 1 more"; the first name survives longest
  std::string also_count = {};  // "also 2 more"
  std::string all_also = {};    // like `also`, with more names, for a tooltip

  [[nodiscard]] bool empty() const { return place.empty(); }
};

// Empty when the focus is on nothing. Looks at a few other tensors only, so its cost is bounded.
[[nodiscard]] FocusLine focus_line(const SnapshotIndex& index, const Focus& focus, std::string value = {});

// The pieces that fit into `room` together, in the order in which they are drawn; what was left out is "". A place that is
// too long even alone is shortened. `measure` gives the width of a text, `gap` what lies between two pieces.
[[nodiscard]] FocusLine fitted(const FocusLine& line, float room, float gap,
                               const std::function<float(std::string_view)>& measure);

// All of it, several lines: for a tooltip and for copying.
[[nodiscard]] std::string whole_text(const FocusLine& line);

// One line: "x[1, 1] → 0x... = data + ...   5.0   also y[1, 1]".
[[nodiscard]] std::string focus_sentence(const SnapshotIndex& index, const Focus& focus);

// The focus for an address inside a tensor: the element that contains it, when one does.
// Its work is bounded: a layout that needs more is left without an element.
[[nodiscard]] Focus focus_at(const SnapshotIndex& index, std::uint32_t tensor, core::Address address);

// The focus on element `element` (a C-order number) of a tensor; on the whole tensor when there is no such element.
[[nodiscard]] Focus focus_on(const SnapshotIndex& index, std::uint32_t tensor, std::uint64_t element);

}  // namespace dlscope::app
