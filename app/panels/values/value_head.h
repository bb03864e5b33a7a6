// The head above the numbers: the tensor, the roles of its axes, the number format. In a small panel the numbers take precedence:
// the head shrinks to fewer lines, then one, then none; the rest moves to a popup.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// The name and, when not readable, the reason.
void draw_value_title(const FrameContext& context, const core::TensorRecord& tensor, bool readable);

// The largest form that leaves room for a header and four rows, or all rows if fewer. Call before anything is drawn in the panel.
[[nodiscard]] HeadForm head_form(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor);

void draw_value_head(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands);

}  // namespace dlscope::app
