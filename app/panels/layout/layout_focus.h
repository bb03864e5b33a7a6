// What of the one focus concerns the tensor that the layout view shows, and how bright its cells are.
#pragma once

#include <cstdint>
#include <optional>

#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// Bits relative to the first bit of element [0,...,0] of the shown tensor.
struct LayoutFocus {
  bool lights = false;                   // the focus is on bytes of this tensor's address space
  std::int64_t begin = 0, end = 0;       // those bytes; of a packed element its own bits
  std::optional<std::uint64_t> element;  // of this tensor
  bool here = false;                     // the focus is on this tensor, not on another one that shares the bytes
  // One of its axes is pointed at: the elements along it through `through` light, the first of which starts at bit axis_begin.
  int axis = -1;
  std::uint64_t through = 0;
  std::int64_t axis_begin = 0, axis_stride = 0, axis_size = 0;

  // Whether an element that starts at `bit` is on that line.
  [[nodiscard]] bool on_axis(std::int64_t bit) const;
};

[[nodiscard]] LayoutFocus layout_focus(const FrameContext& context, const LayoutPanelState& state);

// The focus on an element of the shown tensor, as other views take it.
[[nodiscard]] Focus focus_to_push(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element);

// The ramp's colour of an element that starts at `bit`.
[[nodiscard]] ImU32 shade(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element, std::int64_t bit);

// A rectangle that stands out on any fill.
void draw_ring(ImDrawList* list, const FrameContext& context, ImVec2 from, ImVec2 to, bool strong);

}  // namespace dlscope::app
