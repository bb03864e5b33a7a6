#include "app/panels/hex/hex_panel.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "app/models/panels/panel_facts.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/values/value_grid.h"
#include "app/panels/hex/byte_card.h"
#include "app/panels/hex/hex_edit.h"
#include "app/panels/hex/hex_find.h"
#include "app/panels/hex/hex_table.h"
#include "app/panels/hex/hex_tools.h"
#include "app/panels/nothing_selected.h"
#include "app/panels/values/value_head.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr int kLiveMilliseconds = 100;
constexpr unsigned kUsualWidth = 16;

// Why the tensor has no bytes to show, as a sentence; "": it has. (Unreadable pages are marked row by row.)
std::string why_no_bytes(const core::Snapshot& snapshot, core::TensorRecord tensor) {
  tensor.readable = true;
  const std::string why = why_no_values(snapshot, tensor);
  return why.empty() && tensor.extent.empty() ? "It is not known where its bytes are." : why;
}

HexRows rows_of_scope(const FrameContext& context, const HexPanelState& state, const core::TensorRecord* tensor) {
  const unsigned width = state.rows.width;
  if (state.scope == HexScope::everything || tensor == nullptr) return {0, std::numeric_limits<core::Address>::max(), width};
  const bool grouped = state.scope == HexScope::group && tensor->group != core::kNone32;
  return rows_of(grouped ? context.index->snapshot->group_range(*tensor) : tensor->extent, width);
}

// A new tensor is shown from its first element, unless the cursor is in its memory already because it was selected from here.
void follow_selection(const FrameContext& context, HexPanelState& state, const core::TensorRecord* tensor) {
  const bool other = state.generation != context.generation || state.tensor != context.selected;
  if (state.generation != context.generation) state.kept.forget();
  state.generation = context.generation;
  state.tensor = context.selected;
  const HexRows before = state.rows;
  state.rows = rows_of_scope(context, state, tensor);
  if (other && tensor != nullptr) {
    state.space = tensor->space;
    state.shows_now = false;
    if (!tensor->extent.contains(state.cursor)) {
      state.cursor = state.rows.clamp(tensor->address);
      state.selection.reset();
      state.first_row = state.rows.row_of(state.cursor);
    }
  }
  if (before == state.rows && !other) return;
  state.cursor = state.rows.clamp(state.cursor);
  if (state.selection && !(state.rows.contains(state.selection->first()) && state.rows.contains(state.selection->last())))
    state.selection.reset();
  const core::Address top = before.begin_of(std::min(state.first_row, before.rows() - 1));
  if (before != state.rows && !other) state.first_row = state.rows.row_of(state.rows.clamp(top));
  bring_into_view(state, state.cursor);
}

// What was said of another tensor, of another part of memory or of what it held before is not said of this one.
void forget_said(const FrameContext& context, HexPanelState& state) {
  const HexPanelState::SaidOf now = what_is_searched(context, state);
  if (std::exchange(state.said_of, now) == now) return;
  if (!state.searching) state.said.clear();
  state.find_problem.clear();
  state.go_to_problem.clear();
  forget_problem_of_other(state);
}

void draw_then_or_now(const FrameContext& context, HexPanelState& state) {
  if (context.bytes_are_its_own(state.tensor) || state.kept.bytes() == 0) return;
  same_line_for(shown_bytes_width());
  if (draw_shown_bytes(context, state.shows_kept,
                       "A copy that dlscope kept of the bytes it read while they were known to be the tensor's own: of what was on "
                       "the screen, at most 1 MiB."))
    state.shows_now = state.shows_kept;
}

std::string footer(const HexPanelState& state) {
  std::string text;
  if (state.selection && state.selection->size())
    text = fmt::format("{} selected, {} to {}.   ", counted(*state.selection->size(), "byte", "bytes"),
                       grouped_address(state.selection->first()), grouped_address(state.selection->last()));
  return text + state.said;
}

// The rows, with the byte card beside or below them where there is room.
void draw_body(const FrameContext& context, HexPanelState& state, Commands& commands) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const float character = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeightWithSpacing();
  ImGui::PopFont();
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y -= ImGui::GetTextLineHeightWithSpacing();
  const float gap = ImGui::GetStyle().ItemSpacing.x, least = character * kMinCardCharacters;
  const auto beside_rows = [&](unsigned width) {  // the width they leave
    return room.x - gap - character * static_cast<float>(hex_characters(state, width)) - ImGui::GetStyle().ScrollbarSize - 2;
  };
  const bool is_high = room.y >= line * kMinCardLines * 2;
  unsigned width = state.chosen_width == 0 ? kUsualWidth : state.chosen_width;
  if (state.chosen_width == 0 && beside_rows(width) < least && !is_high) width = kHexWidths[0];
  const bool beside = state.shows_card && beside_rows(width) >= least;
  const bool below = state.shows_card && !beside && is_high;
  const float card = std::min(beside_rows(width), character * kCardCharacters);
  const ImVec2 table{beside ? room.x - gap - card : room.x, below ? std::floor(room.y * 0.5F) : room.y};
  const ImVec2 from = ImGui::GetCursorPos();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  HexTable(context, state, commands).draw(table);
  ImGui::PopFont();
  if (beside || below) {
    ImGui::SetCursorPos(beside ? ImVec2{from.x + table.x + gap, from.y} : ImVec2{from.x, from.y + table.y + gap});
    if (ImGui::BeginChild("card", beside ? ImVec2{card, room.y} : ImVec2{room.x, room.y - table.y - gap}))
      draw_byte_card(context, state);
    ImGui::EndChild();
  }
  draw_hex_menu(context, state, commands);
  ImGui::SetCursorPos({from.x, from.y + room.y + ImGui::GetStyle().ItemSpacing.y});
  const std::string text = footer(state);
  draw_text(text, context.theme.dim);
  explain(std::string_view(text));
}

// Why no bytes can be shown, as a sentence; "": they can.
std::string obstacle(const FrameContext& context, const HexPanelState& state, const core::TensorRecord* tensor) {
  const bool anywhere = state.scope == HexScope::everything;
  if (tensor == nullptr && !anywhere)
    return std::string(nothing_selected(context, "The bytes of the selected tensor will be shown here."));
  if (tensor != nullptr && !anywhere) {
    const std::string why = why_no_bytes(*context.index->snapshot, *tensor);
    if (!why.empty()) return "There are no bytes to show. " + why;
  }
  const bool kept = state.generation == context.generation && state.kept.bytes() > 0;
  const bool known = tensor != nullptr && !anywhere;
  if (std::string no = known ? context.why_not_read(context.selected) : app::why_not_read(context.moment, TensorState::past);
      !no.empty() && !kept)
    return no;
  if (context.reader != nullptr || kept) return {};
  return "There is no process to read them from. Run the script to have one.";
}

void draw_inside(const FrameContext& context, HexPanelState& state, Commands& commands) {
  const core::TensorRecord* tensor = shown_tensor(context);
  const std::string why = obstacle(context, state, tensor);
  if (tensor != nullptr) {
    draw_value_title(context, *tensor, why.empty());
    if (why.empty()) draw_then_or_now(context, state);
  }
  if (!why.empty()) {
    if (context.asked(ActionId::hex_go_to)) open_hex_go_to(state);
    draw_hex_go_to(context, state, commands);
    draw_wrapped_text(why, context.theme.dim);
    if (context.reader != nullptr && ImGui::Button("Look at any address")) {
      state.scope = HexScope::everything;
      open_hex_go_to(state);
    }
    return;
  }
  if (state.scope == HexScope::everything && (tensor == nullptr || tensor->space != core::kHostSpace))
    state.space = core::kHostSpace;
  follow_selection(context, state, tensor);
  forget_said(context, state);
  const bool own = tensor != nullptr ? context.bytes_are_its_own(context.selected) : context.moment.since == Since::nothing;
  state.shows_kept = !own && state.kept.bytes() > 0 && (!state.shows_now || context.reader == nullptr);
  carry_out_hex_actions(context, state, commands);
  carry_out_edit_actions(context, state, commands);
  draw_hex_tools(context, state, tensor != nullptr);
  if (tensor != nullptr) draw_hex_edit(context, state, commands);
  draw_hex_go_to(context, state, commands);
  draw_hex_find(context, state, commands);
  draw_body(context, state, commands);
  const bool running = context.host.state() == HostState::running || context.host.state() == HostState::stopping;
  state.next_frame_in = running && !state.shows_kept ? kLiveMilliseconds : 0;
}

}  // namespace

void draw_hex_panel(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (std::exchange(state.bring_up, false)) ImGui::SetNextWindowFocus();
  follow_armed_tensor(context, state);  // also while another panel covers this one
  take_write_answers(state);
  if (ImGui::Begin(title_of(ActionContext::hex), nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    take_hex_answers(context, state, commands);
    draw_inside(context, state, commands);
  }
  ImGui::End();
}

void open_hex_where_asked(const FrameContext& context, HexPanelState& state, bool& shown) {
  if (!context.asked(ActionId::hex_selected)) return;
  shown = state.bring_up = true;
  if (state.scope == HexScope::everything) state.scope = HexScope::tensor;
}

}  // namespace dlscope::app
