#include "app/panels/workspace.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/host/stop_text.h"
#include "app/panels/action_keys.h"
#include "app/panels/dock_layouts.h"
#include "app/panels/panel_table.h"
#include "app/panels/sheets/key_sheet.h"
#include "app/panels/status_bar.h"

namespace dlscope::app {
namespace {

// Panels appear one frame after docking, their tabs in the frame after that.
constexpr int kSettlingFrames = 3;
constexpr float kTabPadding = 5;  // pixels at 100 %, on each side of a panel's title: seven of them in half a window at 200 %

PanelRoom present_room(const FrameContext& context) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  // The bar of past moments comes and goes: it must not change the layout.
  const float height = viewport->WorkSize.y + past_bar_height(context);
  return panel_room(viewport->WorkSize.x / context.scale, height / context.scale);
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
  arrange_panels(states.arrange.value_or(context.layout), room, dock, ImGui::GetMainViewport()->WorkSize);
  if (!states.arrange) return;
  show_panels_at_first(states.menu.show);
  states.arranged_by_hand = false;
  states.arrange.reset();
}

void draw_dock_space(const FrameContext& context, PanelStates& states) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  ImGui::SetNextWindowViewport(viewport->ID);
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
  // Where titles are cut or scrolled out of view, a menu beside them has all of them in full. A person's own arrangement has its
  // places anywhere.
  const bool crowded = room.places <= WindowRoom::two_places && (!room.code_below || states.arranged_by_hand);
  list_tabs_in_menus();
  ImGui::GetStyle().WindowMenuButtonPosition = crowded ? ImGuiDir_Right : ImGuiDir_None;
  ImGui::DockSpace(dock);
  ImGui::GetStyle().WindowMenuButtonPosition = ImGuiDir_None;
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

// Shows the stack at the first stop of a run, after an exception in a function, and after a crash. If it is hidden later in that
// run, it stays hidden.
void show_stop(const FrameContext& context, PanelStates& states) {
  const StopView* ended = context.host.ended();
  const core::RunOutcome& outcome = context.host.outcome();
  const bool crashed = outcome.outcome == core::Outcome::crashed && outcome.crash;
  const bool stands = context.host.stop() != nullptr || (ended != nullptr && has_user_function(ended->at)) || crashed;
  const bool in_run = stands || context.host.left_stop() != nullptr;
  if (stands && !states.stop_shown) states.menu.show[ActionContext::stack] = true;
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
  const bool figure_of_proof = states.exchange.figure.wanted && !states.heatmap.figure.wanted;
  const bool typing = ImGui::GetIO().WantTextInput || states.script.has_keyboard || states.popup_open;
  if (!states.settings.listening) read_keys(context, typing, states.actions);
  draw_menu_bar(context, states.menu, states.actions, commands);
  perform(context, states.actions, states.menu.show, commands);
  draw_past_bar(context, commands);
  draw_status_bar(context, models.held, kept_by_values(context, states.values), states.status, commands);
  draw_dock_space(context, states);
  if (states.settling > 0 && --states.settling == 0) bring_to_front(context.layout, states.room, states.keeps_keyboard);
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
