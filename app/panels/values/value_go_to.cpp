// The field of the values in which a place, or a value, is typed.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/models/focus/go_to.h"
#include "app/models/text/address_text.h"
#include "app/panels/values/value_tools.h"
#include "app/widgets/marks.h"
#include "core/wire/work_requests.h"

namespace dlscope::app {
namespace {

// "= 1.5", "= 2024-02-29", "= 'text'": all values are searched for it, by a task.
void search_for_typed(const FrameContext& context, ValuesPanelState& state, std::string_view value, Commands& commands) {
  const bool fits = value.size() <= core::wire::kMaxValueTextBytes;
  state.go_to_problem = value.empty()                       ? "Type a value behind the =."
                        : !fits                             ? "Too long to be searched for."
                        : context.selected == core::kNone32 ? "No tensor is selected."
                                                            : why_not_searched(context, state);
  if (state.go_to_problem.empty()) commands.push(command::SearchValues{core::SearchedValue::equal, std::string(value)});
}

void go_to_typed(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  const bool of_field = context.values.field != core::kNone16;
  const Destination to = go_to(*context.index, context.selected, state.go_to_text,
                               of_field ? context.values.layout().shape : std::span<const std::int64_t>());
  state.go_to_problem = to.problem;
  if (to.field_value)
    commands.push(command::Pin{context.values.focus_on(*to.field_value)});
  else if (to.problem.empty() && to.focus.element)
    commands.push(command::Pin{to.focus});
  else if (to.problem.empty())
    commands.push(command::SelectTensor{to.focus.tensor});
}

}  // namespace

void open_go_to(ValuesPanelState& state) {
  state.go_to_open = state.go_to_focus = true;
  state.go_to_problem.clear();
  ImGui::SetWindowFocus(title_of(ActionContext::values));
}

void draw_go_to(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  if (!state.go_to_open) return;
  ImGui::SetNextItemWidth(std::min(ImGui::GetFontSize() * 18, ImGui::GetContentRegionAvail().x));
  if (state.go_to_focus) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputTextWithHint("##go to", "3, 4  or  0x5581…  or  a name  or  = value", &state.go_to_text,
                                                ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = !state.go_to_focus && ImGui::IsItemDeactivated();
  state.go_to_focus = false;
  if (entered && context.index != nullptr) {
    const std::string_view typed = trimmed(state.go_to_text);
    if (typed.starts_with('='))
      search_for_typed(context, state, trimmed(typed.substr(1)), commands);
    else
      go_to_typed(context, state, commands);
    state.go_to_open = !state.go_to_problem.empty();
    state.go_to_focus = state.go_to_open;
  } else if (left) {
    state.go_to_open = false;
  }
  if (!state.go_to_problem.empty() && state.go_to_open) {
    draw_wrapped_text(state.go_to_problem, context.theme.warn);
  }
}

}  // namespace dlscope::app
