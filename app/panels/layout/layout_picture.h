// The common base of the layout view's two pictures, grid and tape; made for one frame.
#pragma once

#include <imgui.h>

#include <algorithm>

#include "app/models/layout/element_form.h"
#include "app/models/layout/logical_grid.h"
#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

inline constexpr double kWheelFactor = 1.25;
inline constexpr std::size_t kLongestIndex = 18;  // characters of an index that cells have room for

class LayoutPicture {
 protected:
  LayoutPicture(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, Commands& commands)
      : context_(context),
        state_(state),
        focus_(focus),
        commands_(commands),
        tensor_(context.index->tensor(state.tensor)),
        layout_(context.index->snapshot->layout(tensor_)),
        grid_(layout_, state.mapping),
        list_(ImGui::GetWindowDrawList()) {}

  // Takes the rectangle of this size at the cursor to draw into.
  void take_room(ImVec2 size) {
    from_ = ImGui::GetCursorScreenPos();
    to_ = {from_.x + size.x, from_.y + size.y};
  }

  // What a tensor's cells of that width in pixels say; in the font of the pictures every character is as wide as a digit.
  [[nodiscard]] ElementForm form_in(double width, std::uint32_t tensor) const {
    const double characters = std::clamp((width - 2) / static_cast<double>(ImGui::CalcTextSize("0").x), 0.0, 1e3);
    const core::TensorRecord& record = context_.index->tensor(tensor);
    return element_form(context_.index->snapshot->layout(record), record.elements, static_cast<std::size_t>(characters));
  }

  const FrameContext& context_;
  LayoutPanelState& state_;
  const LayoutFocus& focus_;
  Commands& commands_;
  const core::TensorRecord& tensor_;
  core::LayoutView layout_;
  LogicalGrid grid_;
  ImDrawList* list_;
  ImVec2 from_, to_;
};

}  // namespace dlscope::app
