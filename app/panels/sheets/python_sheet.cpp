#include "app/panels/sheets/python_sheet.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// The sheet stays open until the change begins: the application closes it.
void choose(const std::string& path, PythonSheetState& state, Commands& commands) {
  state.chosen = path;
  commands.push(command::ChoosePython{path});
}

void draw_entry(const FrameContext& context, const PythonEntry& entry, PythonSheetState& state, Commands& commands) {
  ImGui::PushID(entry.path.c_str());
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  const bool usable = !entry.version.empty() && entry.refusal.empty();
  ImGui::BeginDisabled(!usable);
  if (small_button("Use")) choose(entry.path, state, commands);
  ImGui::EndDisabled();
  ImGui::TableSetColumnIndex(1);
  draw_wrapped_text(entry.path, context.theme.text);
  draw_wrapped_text(entry.because, context.theme.dim);
  ImGui::TableSetColumnIndex(2);
  if (!entry.refusal.empty()) {
    draw_wrapped_text("Cannot be used: " + entry.refusal, context.theme.warn);
  } else if (entry.version.empty()) {
    draw_text("looking …", context.theme.dim);
  } else {
    draw_text("Python " + entry.version + (entry.venv.empty() ? "" : " · " + entry.venv));
    draw_wrapped_text(entry.libraries.empty() ? "none of the array libraries" : entry.libraries,
                      entry.libraries.empty() ? context.theme.dim : context.theme.text);
  }
  ImGui::PopID();
}

// What became of the one that was chosen.
void draw_choice(const FrameContext& context, const PythonSheetState& state) {
  const PythonList& list = context.pythons;
  if (!list.tried.empty())
    draw_wrapped_text("Looking at " + list.tried + " …", context.theme.dim);
  else if (!list.refusal.empty())
    draw_wrapped_text("Cannot be used: " + list.refusal + ". The Python in use stays.", context.theme.warn);
  else if (!state.chosen.empty())
    draw_wrapped_text("The notice asks whether the variables of the one in use may be lost; choosing again says yes.",
                      context.theme.warn);
}

void draw_path_field(PythonSheetState& state, Commands& commands) {
  const float buttons = button_width("Check") + button_width("Use it") + ImGui::GetStyle().ItemSpacing.x * 2;
  const float width = ImGui::GetContentRegionAvail().x - buttons;
  const std::string_view hint =
      first_that_fits({"Path of an interpreter or of a virtual environment", "Path of an interpreter or a venv", "Path"},
                      width - ImGui::GetStyle().FramePadding.x * 2);
  ImGui::SetNextItemWidth(width);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputTextWithHint("##path", hint.data(), &state.path, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  ImGui::BeginDisabled(state.path.empty());
  if (ImGui::Button("Check") || entered) commands.push(command::LookForPythons{state.path});
  ImGui::SameLine();
  if (ImGui::Button("Use it")) choose(state.path, state, commands);
  ImGui::EndDisabled();
}

}  // namespace

void draw_python_sheet(const FrameContext& context, PythonSheetState& state, ViewSwitches& show, Commands& commands) {
  if (!show.pythons) {
    state.asked = false;
    state.chosen.clear();
    return;
  }
  if (!std::exchange(state.asked, true)) commands.push(command::LookForPythons{});
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(ImGui::GetFontSize() * 54, viewport->WorkSize.x * 0.94F),
                            std::min(ImGui::GetFontSize() * 30, viewport->WorkSize.y * 0.9F)},
                           ImGuiCond_Appearing);
  constexpr auto kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Choose Python", &show.pythons, kFlags)) {
    draw_wrapped_text("In use: " + (context.host.executable().empty() ? std::string("none yet") : context.host.executable()),
                      context.theme.text);
    draw_wrapped_text(
        "Choosing another one starts a new Python: nothing imported, no variables. The script, the layout and the history stay.",
        context.theme.dim);
    draw_choice(context, state);
    draw_path_field(state, commands);
    if (context.pythons.entries.empty())
      draw_text(context.pythons.looking ? "Looking for Pythons …" : "No Python was found.", context.theme.dim);
    constexpr auto kTable =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings;
    if (ImGui::BeginTable("pythons", 3, kTable)) {
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize, button_width("Use"));
      ImGui::TableSetupColumn("Where", ImGuiTableColumnFlags_WidthStretch, 0.5F);
      ImGui::TableSetupColumn("What", ImGuiTableColumnFlags_WidthStretch, 0.5F);
      for (const PythonEntry& entry : context.pythons.entries) draw_entry(context, entry, state, commands);
      ImGui::EndTable();
    }
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Escape, false))
      show.pythons = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
