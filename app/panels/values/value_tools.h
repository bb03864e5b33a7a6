// The tools around the numbers: number format, "Go to", searching, the footer, the worker's answers.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// On the current line, or on more when it is too short.
void draw_value_tools(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor);
[[nodiscard]] float value_tools_width(const ValuesPanelState& state, const core::TensorRecord& tensor);

// Why nothing is searched: what is shown is not what is in memory. "": it may be.
[[nodiscard]] const char* why_not_searched(const FrameContext& context, const ValuesPanelState& state);
void open_go_to(ValuesPanelState& state);
// The "Go to" field, while open; Enter goes there, Escape closes it.
void draw_go_to(const FrameContext& context, ValuesPanelState& state, Commands& commands);

// Carries out searching, copying and selecting that were asked for by key, menu or palette.
void carry_out_value_actions(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands);
void take_value_answers(const FrameContext& context, ValuesPanelState& state, Commands& commands);

// Requests the sum of the selection from a worker.
void ask_for_sum(const FrameContext& context, ValuesPanelState& state, Commands& commands);
// The sum of the selection, and the outcome of the last search or copy; "": neither.
[[nodiscard]] std::string value_news(const ValuesPanelState& state);
// The same as the last line of the panel.
void draw_value_footer(const FrameContext& context, const ValuesPanelState& state);

}  // namespace dlscope::app
