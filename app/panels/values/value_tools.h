// What stands around the numbers: number format, the field to go somewhere, searching, the line below, answers of the worker.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// On the current line; on more where it is too short.
void draw_value_tools(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor);
[[nodiscard]] float value_tools_width(const ValuesPanelState& state, const core::TensorRecord& tensor);

void open_go_to(ValuesPanelState& state);
// A field in the panel while it is open; Enter goes, Escape closes.
void draw_go_to(const FrameContext& context, ValuesPanelState& state, Commands& commands);

// Search, copy, select all: what was asked for by key, menu or palette.
void carry_out_value_actions(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands);
void take_value_answers(const FrameContext& context, ValuesPanelState& state, Commands& commands);

// What is selected is added up by a worker.
void ask_for_sum(const FrameContext& context, ValuesPanelState& state, Commands& commands);
// What the selection adds up to, and what came of the last search or copy; "": neither.
[[nodiscard]] std::string value_news(const ValuesPanelState& state);
// The same, as the last line of the panel.
void draw_value_footer(const FrameContext& context, const ValuesPanelState& state);

}  // namespace dlscope::app
