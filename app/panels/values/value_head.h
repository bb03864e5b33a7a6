// The head above the numbers: the tensor, the roles of its axes, the number format. In a small panel the numbers take precedence:
// the head shrinks to fewer lines, then one, then none; the rest moves to a popup.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// The name and, when not readable, the reason.
void draw_value_title(const FrameContext& context, const core::TensorRecord& tensor, bool readable);

// "shown: then" or "shown: present bytes", and a link to the other; true: it was clicked. then_meaning: what "then" shows.
[[nodiscard]] bool draw_shown_bytes(const FrameContext& context, bool then, const char* then_meaning);
[[nodiscard]] float shown_bytes_width();

// Where the head has no line (HeadForm::none): the state over the lower right corner of the numbers, if they may not be current.
void draw_state_over_numbers(const FrameContext& context, const ValuesPanelState& state);

// The largest form that leaves room for a header and four rows, or all rows if fewer. Call before anything is drawn in the panel.
[[nodiscard]] HeadForm head_form(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor);

void draw_value_head(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands);

}  // namespace dlscope::app
