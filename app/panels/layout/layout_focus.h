// The part of the focus that concerns the tensor in the layout view, and the brightness of its cells.
#pragma once

#include <cstdint>
#include <optional>

#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// Bits relative to the first bit of element [0,...,0] of the shown tensor.
struct LayoutFocus {
  bool lights = false;                   // the focus is on bytes of the tensor's address space
  std::int64_t begin = 0, end = 0;       // those bytes; for a packed element its bits
  std::optional<std::uint64_t> element;  // of this tensor
  bool here = false;                     // the focus is on this tensor itself, not on another one that shares the bytes
  // When one of its axes is hovered: the elements along it through `through` are lit; the first one starts at bit axis_begin.
  int axis = -1;
  std::uint64_t through = 0;
  std::int64_t axis_begin = 0, axis_stride = 0, axis_size = 0;

  // Whether an element that starts at `bit` is on that line.
  [[nodiscard]] bool on_axis(std::int64_t bit) const;
};

[[nodiscard]] LayoutFocus layout_focus(const FrameContext& context, const LayoutPanelState& state);

// The focus on an element of the shown tensor, to push for all views.
[[nodiscard]] Focus focus_to_push(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element);

// The colour of an element that starts at `bit`, on the colour ramp.
[[nodiscard]] ImU32 shade(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element, std::int64_t bit);

// Draws a rectangle that is visible on any fill.
void draw_ring(ImDrawList* list, const FrameContext& context, ImVec2 from, ImVec2 to, bool strong);

}  // namespace dlscope::app
