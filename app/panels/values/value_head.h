// What stands above the numbers: whose they are, which axes run where, how they are written. The numbers come first: in a
// small panel the head takes fewer lines, then one, then none; what is folded away is in a popup.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// The name, and why nothing follows it.
void draw_value_title(const FrameContext& context, const core::TensorRecord& tensor, bool readable);

// The most that leaves room for a header and four rows below, or for as many as there are. Before anything was drawn in the panel.
[[nodiscard]] HeadForm head_form(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor);

void draw_value_head(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands);

}  // namespace dlscope::app
