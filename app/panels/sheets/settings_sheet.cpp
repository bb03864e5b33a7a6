#include "app/panels/sheets/settings_sheet.h"

#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/models/actions/palette_model.h"
#include "app/models/text/fuzzy.h"
#include "app/widgets/keys.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void draw_look(const FrameContext& context, Commands& commands) {
  ImGui::SeparatorText("Look");
  const bool light = context.theme.choice == ThemeChoice::light;
  if (ImGui::RadioButton("Dark", !light)) commands.push(command::SetTheme{ThemeChoice::dark});
  ImGui::SameLine();
  if (ImGui::RadioButton("Light", light)) commands.push(command::SetTheme{ThemeChoice::light});
  ImGui::AlignTextToFramePadding();
  draw_text("Size");
  for (const float scale : {1.0F, 1.25F, 1.5F, 2.0F, 2.5F, 3.0F}) {
    const std::string text = fmt::format("{:.0f} %", scale * 100);
    same_line_for(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(text.c_str()).x);
    if (ImGui::RadioButton(text.c_str(), context.scale == scale)) commands.push(command::SetScale{scale});
  }
  bool reduced = context.reduced_motion;
  if (ImGui::Checkbox("Reduced motion", &reduced)) commands.push(command::SetReducedMotion{reduced});
  explain("Values that change while code runs get their mark at once, without a flash.");
}

void draw_python(const FrameContext& context, Commands& commands) {
  ImGui::SeparatorText("Python");
  draw_wrapped_text(context.host.executable().empty() ? "None is running." : context.host.executable(), context.theme.text);
  const bool absent = context.host.state() == HostState::absent;
  ImGui::BeginDisabled(absent);
  if (ImGui::Button("Choose another …")) commands.push(command::Ask{ActionId::python_choose});
  ImGui::EndDisabled();
  if (absent) explain("There is no Python in this window: it was opened for a file.");
}

void listen(SettingsSheetState& state, Commands& commands) {
  const auto chord = pressed_chord();
  if (!chord) return;
  if (*chord != KeyChord{.key = Key::escape}) commands.push(command::Rebind{*state.listening, std::vector{*chord}});
  state.listening.reset();
}

void draw_key(const FrameContext& context, SettingsSheetState& state, const Action& row, Commands& commands) {
  ImGui::PushID(row.name);
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  draw_wrapped_text(palette_title(row), context.theme.text);
  ImGui::TableSetColumnIndex(1);
  if (state.listening == row.id)
    draw_text("press the new keys; Escape leaves it", context.theme.warn);
  else
    draw_text(context.keys.text(row.id), context.keys.changed(row.id) ? context.theme.good : context.theme.accent);
  for (const KeyChord& chord : context.keys.chords(row.id)) {
    const auto other = context.keys.taken_by(chord, row.id);
    if (other)
      draw_wrapped_text(fmt::format("{} is also \"{}\"; only one is reached.", chord_text(chord), action(*other).title),
                        context.theme.warn);
  }
  ImGui::TableSetColumnIndex(2);
  if (small_button("Change")) state.listening = row.id;
  ImGui::SameLine();
  ImGui::BeginDisabled(context.keys.text(row.id).empty());
  if (small_button("None")) commands.push(command::Rebind{row.id, std::vector<KeyChord>{}});
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(!context.keys.changed(row.id));
  if (small_button("Reset to default")) commands.push(command::Rebind{row.id, std::nullopt});
  ImGui::EndDisabled();
  ImGui::PopID();
}

void draw_keys(const FrameContext& context, SettingsSheetState& state, Commands& commands) {
  ImGui::SeparatorText("Keys");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "Filter: what it does, or its keys", &state.filter);
  constexpr auto kTable = ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings;
  const float room = ImGui::GetContentRegionAvail().y;
  const bool table_scrolls = room >= ImGui::GetFrameHeightWithSpacing() * 6;  // below that the sheet does, and never both
  const ImGuiTableFlags flags = table_scrolls ? kTable | ImGuiTableFlags_ScrollY : kTable;
  if (!ImGui::BeginTable("keys", 3, flags, {0, table_scrolls ? room : 0})) return;
  ImGui::TableSetupColumn("Action", ImGuiTableColumnFlags_WidthStretch, 0.45F);
  ImGui::TableSetupColumn("Keys", ImGuiTableColumnFlags_WidthStretch, 0.35F);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
  for (const Action& row : actions()) {
    if (fuzzy_score(state.filter, palette_title(row) + " " + context.keys.text(row.id))) draw_key(context, state, row, commands);
  }
  ImGui::EndTable();
}

}  // namespace

void draw_settings_sheet(const FrameContext& context, SettingsSheetState& state, ViewSwitches& show, Commands& commands) {
  if (!show.settings) {
    state.listening.reset();
    return;
  }
  const bool was_listening = state.listening.has_value();
  if (was_listening) listen(state, commands);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(ImGui::GetFontSize() * 54, viewport->WorkSize.x * 0.94F),
                            std::min(ImGui::GetFontSize() * 38, viewport->WorkSize.y * 0.9F)},
                           ImGuiCond_Appearing);
  constexpr auto kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Settings", &show.settings, kFlags)) {
    draw_look(context, commands);
    draw_python(context, commands);
    draw_keys(context, state, commands);
    if (!was_listening && ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Escape, false))
      show.settings = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
