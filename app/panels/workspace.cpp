#include "app/panels/workspace.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "app/models/host/stop_text.h"
#include "app/panels/action_keys.h"
#include "app/panels/dock_layouts.h"
#include "app/panels/panel_table.h"
#include "app/panels/sheets/key_sheet.h"
#include "app/panels/status_bar.h"
#include "app/panels/stored_fronts.h"

namespace dlscope::app {
namespace {

constexpr float kTabPadding = 5;  // pixels at 100 %, on each side of a panel's title: seven of them in half a window at 200 %

// What the bars that were drawn in this frame leave of the window. ImGui's own WorkSize is that of the frame before: the first
// layout would be made for a window without bars, and another one by every reset.
ImRect work_area() { return static_cast<ImGuiViewportP*>(ImGui::GetMainViewport())->GetBuildWorkRect(); }

PanelRoom present_room(const FrameContext& context) {
  const ImVec2 size = work_area().GetSize();
  // The bar of past moments comes and goes: it must not change the layout.
  return panel_room(size.x / context.scale, (size.y + past_bar_height(context)) / context.scale);
}

// Arranges the panels when a layout was asked for, or the window's room changed; the latter keeps open panels and the keyboard.
void arrange(const FrameContext& context, PanelStates& states, PanelRoom room, ImGuiID dock) {
  const bool outgrown = room != states.room && !states.arranged_by_hand;
  if (!states.arrange && !outgrown) return;
  // Panels that appear take the keyboard, so while one arrangement is still incomplete its answer is kept.
  if (states.arrange)
    states.keeps_keyboard.clear();
  else if (states.settling == 0)
    states.keeps_keyboard = panel_with_keyboard();
  states.settling = kSettlingFrames;
  states.room = room;
  arrange_panels(states.arrange.value_or(context.layout), room, dock, work_area().GetSize());
  if (!states.arrange) return;
  show_panels_at_first(states.menu.show);
  states.arranged_by_hand = false;
  states.arrange.reset();
  states.stop_shown = false;  // a stop that still stands is shown in the new layout, too
}

// Where titles are cut or scrolled out of view, a menu beside them has all of them in full. A person's own arrangement may be
// crowded in any window.
TabMenus tab_menus(PanelRoom room, bool arranged_by_hand) {
  if (room.places <= WindowRoom::two_places && (!room.code_below || arranged_by_hand)) return TabMenus::everywhere;
  return arranged_by_hand ? TabMenus::where_cut : TabMenus::none;
}

void draw_dock_space(const FrameContext& context, PanelStates& states) {
  const ImRect area = work_area();
  ImGui::SetNextWindowPos(area.Min);
  ImGui::SetNextWindowSize(area.GetSize());
  ImGui::SetNextWindowViewport(ImGui::GetMainViewport()->ID);
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoBackground |
                          ImGuiWindowFlags_NoSavedSettings;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("##workspace", nullptr, kFlags);
  ImGui::PopStyleVar(2);
  const ImGuiID dock = ImGui::GetID("dock space");
  const PanelRoom room = present_room(context);
  arrange(context, states, room, dock);
  ImGui::PushStyleVarX(ImGuiStyleVar_FramePadding, context.px(kTabPadding));
  draw_docks(dock, tab_menus(room, states.arranged_by_hand));
  ImGui::PopStyleVar();
  states.arranged_by_hand = states.arranged_by_hand || is_being_arranged(dock);
  ImGui::End();
}

// Brings a new selection into view once; a new snapshot alone scrolls nothing.
void follow_selection(const FrameContext& context, PanelStates& states) {
  if (std::exchange(states.generation_seen, context.generation) != context.generation)
    states.memory.reveal = states.tensors.scroll_to = core::kNone32;
  if (std::exchange(states.selection_seen, context.selection_revision) != context.selection_revision)
    states.memory.reveal = states.tensors.scroll_to = context.selected;
}

// Once nothing stands any more, the stack has nothing to show: the panel that it covered comes to the front again. Not if the
// person has looked elsewhere since, or works in it.
void show_what_stop_covered(const FrameContext& context, PanelStates& states) {
  if (states.behind_stop.empty() || states.stop_in_front > 0) return;
  const std::string stack = title_of(ActionContext::stack);
  const bool covered = panel_in_front_at(states.behind_stop.c_str()) == stack;
  const bool over = !states.stop_shown && context.host.state() == HostState::idle;
  if (covered && !over) return;
  if (covered && panel_with_keyboard() != stack) select_tab(states.behind_stop.c_str());
  states.behind_stop.clear();
}

// Shows the stack at the first stop of a run, after an exception in a function, and after a crash. If it is hidden later in that
// run, it stays hidden.
void show_stop(const FrameContext& context, PanelStates& states) {
  show_what_stop_covered(context, states);
  const StopView* ended = context.host.ended();
  const core::RunOutcome& outcome = context.host.outcome();
  const bool crashed = outcome.outcome == core::Outcome::crashed && outcome.crash;
  const bool stands = context.host.stop() != nullptr || (ended != nullptr && has_user_function(ended->at)) || crashed;
  const bool in_run = stands || context.host.left_stop() != nullptr;
  if (stands && !states.stop_shown) {
    states.menu.show[ActionContext::stack] = true;
    const std::string front = panel_in_front_at(title_of(ActionContext::stack));
    if (front != title_of(ActionContext::stack)) states.behind_stop = front;
  }
  // A panel that was hidden gets its dock place only in the frame after it is first shown.
  if (stands && states.stop_shown && states.stop_in_front > 0 && --states.stop_in_front == 0)
    select_tab(title_of(ActionContext::stack));
  if (stands && !states.stop_shown) states.stop_in_front = kSettlingFrames;
  states.stop_shown = in_run;
}

// Selects the tensor `step` rows further in the table.
void step_selection(const FrameContext& context, const TensorTableModel& tensors, int step, Commands& commands) {
  if (tensors.row_count() == 0) return;
  const auto at = context.selected == core::kNone32 ? std::nullopt : tensors.row_of(context.selected);
  const std::size_t last = tensors.row_count() - 1;
  const std::size_t row = !at ? 0 : step > 0 ? std::min(*at + 1, last) : *at - std::min<std::size_t>(*at, 1);
  commands.push(command::SelectTensor{tensors.tensor_at(row)});
}

// What the values view shows instead of bytes that may be another's; null: it has none of this snapshot, or shows those bytes.
const KeptValues* kept_by_values(const FrameContext& context, const ValuesPanelState& values) {
  const bool shows_now = values.shows_now && context.reader != nullptr;
  return shows_now || values.kept_generation != context.generation ? nullptr : &values.kept;
}

// Actions that are neither a command nor a panel's own.
void carry_out_actions(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands) {
  if (!states.actions.any()) return;
  if (context.asked(ActionId::script_open) || context.asked(ActionId::tensors_open))
    show_file_browser(states.files, FileBrowserState::Purpose::open, models.script.path);
  if (context.asked(ActionId::compare_file)) {
    const std::string& last = context.compared_sides.file.path;
    show_file_browser(states.files, FileBrowserState::Purpose::compare, last.empty() ? models.script.path : last);
  }
  if (context.asked(ActionId::script_save_as))
    show_file_browser(states.files, FileBrowserState::Purpose::save, models.script.path);
  if (context.asked(ActionId::tensors_filter)) {
    states.tensors.focus_filter = states.menu.show[ActionContext::tensors] = true;
    ImGui::SetWindowFocus(title_of(ActionContext::tensors));
  }
  open_exchange_where_asked(context, states.exchange, states.menu.show[ActionContext::exchange], commands);
  open_hex_where_asked(context, states.hex, states.menu.show[ActionContext::hex]);
  if (context.asked(ActionId::run_selection)) run_selection_or_statement(states.script, commands);
  if (context.asked(ActionId::palette)) show_palette(states.palette, PaletteState::Looks::for_actions);
  if (context.asked(ActionId::go_to)) show_palette(states.palette, PaletteState::Looks::for_places);
  if (context.asked(ActionId::tensor_next)) step_selection(context, models.tensors, 1, commands);
  if (context.asked(ActionId::tensor_previous)) step_selection(context, models.tensors, -1, commands);
}

}  // namespace

void draw_workspace(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands) {
  states.actions.begin_frame();
  const bool figure_of_proof = states.exchange.proving.figure.wanted && !states.heatmap.figure.wanted;
  const bool typing = ImGui::GetIO().WantTextInput || states.script.has_keyboard || states.popup_open;
  if (!states.settings.listening) read_keys(context, typing, states.actions);
  draw_menu_bar(context, states.menu, states.actions, commands);
  perform(context, states.actions, states.menu.show, commands);
  draw_past_bar(context, commands);
  draw_status_bar(context, models.held, kept_by_values(context, states.values), states.status, commands);
  draw_dock_space(context, states);
  if (states.settling > 0 && --states.settling == 0) {
    if (states.arranged_by_hand)
      bring_stored_to_front();
    else
      bring_to_front(context.layout, states.room, states.keeps_keyboard);
  }
  follow_selection(context, states);
  show_stop(context, states);
  draw_panels(context, states, models, commands);
  carry_out_actions(context, states, models, commands);
  if (states.heatmap.figure.wanted) return;  // nothing may cover the picture that is cut out of this frame
  draw_file_browser(context, states.files, commands);
  draw_palette(context, states.palette, states.menu.show, states.actions, commands);
  draw_python_sheet(context, states.pythons, states.menu.show, commands);
  draw_settings_sheet(context, states.settings, states.menu.show, commands);
  draw_key_sheet(context, states.menu.show);
  draw_help_card(context, states.help);
  draw_notices(context, models.notices, commands);
  if (figure_of_proof) draw_wanted_figure(context, states.exchange);
  states.popup_open = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
}

}  // namespace dlscope::app
