#include "app/panels/layout/layout_focus.h"

#include <algorithm>

#include "app/models/focus/focus_text.h"
#include "app/models/layout/logical_grid.h"

namespace dlscope::app {

namespace {

// The pinned element, else the first one of the shown slice.
std::uint64_t line_through(const FrameContext& context, const LayoutPanelState& state, core::LayoutView layout) {
  const Focus& pinned = context.pinned;
  if (pinned.tensor == state.tensor && pinned.element && *pinned.element < context.index->tensor(state.tensor).elements)
    return *pinned.element;
  return LogicalGrid(layout, state.mapping).element({0, 0});
}

void point_at_axis(const FrameContext& context, const LayoutPanelState& state, core::LayoutView layout, LayoutFocus& out) {
  const int axis = context.lit_axis();
  if (axis < 0 || axis >= static_cast<int>(layout.shape.size()) || context.hover.tensor != state.tensor) return;
  const auto d = static_cast<std::size_t>(axis);
  std::vector<std::int64_t> index(layout.shape.size());
  out.axis = axis;
  out.through = line_through(context, state, layout);
  core::unravel(layout, out.through, index);
  out.axis_stride = layout.stride_bits[d];
  out.axis_size = layout.shape[d];
  out.axis_begin = core::bit_offset_of(layout, out.through) - index[d] * out.axis_stride;
}

}  // namespace

bool LayoutFocus::on_axis(std::int64_t bit) const {
  if (axis < 0) return false;
  const std::int64_t far = bit - axis_begin;
  if (axis_stride == 0) return far == 0;
  return far % axis_stride == 0 && far / axis_stride >= 0 && far / axis_stride < axis_size;
}

LayoutFocus layout_focus(const FrameContext& context, const LayoutPanelState& state) {
  LayoutFocus out;
  const Focus& focus = context.hover;
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  if (state.strips.empty() || !focus.on_tensor()) return out;
  const core::LayoutView layout = context.index->snapshot->layout(tensor);
  point_at_axis(context, state, layout, out);
  if (focus.tensor == state.tensor && focus.element && *focus.element < tensor.elements) {
    out.here = out.lights = true;
    out.element = focus.element;
    out.begin = core::bit_offset_of(layout, *focus.element);
    out.end = out.begin + layout.item_bits;
    return out;
  }
  const auto begin = state.range.bit_of(focus.bytes.begin), end = state.range.bit_of(focus.bytes.end);
  if (focus.bytes.empty() || focus.space != tensor.space || !begin || !end) return out;
  out.lights = true;
  out.here = focus.tensor == state.tensor;
  out.begin = *begin - state.range.origin;
  out.end = *end - state.range.origin;
  out.element = state.strips.front().tape->element_at(out.begin, out.end);
  return out;
}

Focus focus_to_push(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element) {
  Focus focus = focus_on(*context.index, state.tensor, element);
  if (!state.range.addressed) focus.bytes = {};  // it has no address, only a place within the tensor
  return focus;
}

ImU32 shade(const FrameContext& context, const LayoutPanelState& state, std::uint64_t element, std::int64_t bit) {
  const StorageTape& tape = *state.strips.front().tape;
  if (state.shade == ShadeBy::order) {
    const std::uint64_t elements = context.index->tensor(state.tensor).elements;
    return ramp_colour(context.theme,
                       static_cast<double>(element) / static_cast<double>(std::max<std::uint64_t>(elements - 1, 1)));
  }
  const auto item = static_cast<std::int64_t>(context.index->tensor(state.tensor).item_bits);
  const std::int64_t last = tape.end() - tape.begin() - item;  // start of the highest element
  return ramp_colour(context.theme,
                     static_cast<double>(bit - tape.begin()) / static_cast<double>(std::max<std::int64_t>(last, 1)));
}

void draw_ring(ImDrawList* list, const FrameContext& context, ImVec2 from, ImVec2 to, bool strong) {
  const float width = context.px(strong ? 2.0F : 1.0F);
  list->AddRect({from.x - width, from.y - width}, {to.x + width, to.y + width}, ImGui::GetColorU32(context.theme.panel), 0,
                context.px(strong ? 5.0F : 3.0F));
  list->AddRect(from, to, strong ? context.theme.selection : ImGui::GetColorU32(context.theme.accent), 0, width * 1.5F);
}

}  // namespace dlscope::app
