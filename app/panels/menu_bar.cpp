#include "app/panels/menu_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/models/script_model.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

struct Shortcut {
  const char* keys;
  const char* action;
};
constexpr Shortcut kShortcuts[] = {
    {"F5", "Run the script"},
    {"Shift+F5", "Stop it; again to insist"},
    {"Ctrl+Enter", "Run the selection or the line with the cursor (in the editor)"},
    {"Ctrl+O", "Open a script"},
    {"Ctrl+S", "Save the script"},
    {"Ctrl+F", "Find in the editor; filter the tensors elsewhere"},
    {"F", "Fit the memory map (mouse over it)"},
    {"Up, Down, Page Up, Page Down, Home, End", "Move through the tensors (table focused)"},
    {"Escape", "Let go of the selection"},
    {"Ctrl+1, Ctrl+2, Ctrl+3", "Layouts: Debug, Teach, Verify"},
    {"Ctrl+Plus, Ctrl+Minus, Ctrl+0", "Larger, smaller, 100 %"},
    {"F1", "This sheet"},
    {"Ctrl+Q", "Quit"},
};

void file_menu(MenuBarState& state, Commands& commands) {
  if (!ImGui::BeginMenu("File")) return;
  if (ImGui::MenuItem("New script")) commands.push(command::NewScript{});
  if (ImGui::MenuItem("Open script ...", "Ctrl+O")) state.open_file_browser = true;
  if (ImGui::MenuItem("Open the tour")) commands.push(command::OpenTour{});
  ImGui::Separator();
  if (ImGui::MenuItem("Save", "Ctrl+S")) commands.push(command::SaveScript{});
  if (ImGui::MenuItem("Save as ...")) state.save_as = true;
  ImGui::Separator();
  if (ImGui::MenuItem("Quit", "Ctrl+Q")) commands.push(command::Quit{});
  ImGui::EndMenu();
}

void run_menu(const FrameContext& context, MenuBarState& state, Commands& commands) {
  if (!ImGui::BeginMenu("Run")) return;
  const HostStatus& host = context.host;
  if (ImGui::MenuItem("Run the script", "F5", false, host.can_run())) commands.push(command::RunScript{});
  if (ImGui::MenuItem("Run the selection or line", "Ctrl+Enter", false, host.can_run())) state.run_selection = true;
  if (ImGui::MenuItem("Stop", "Shift+F5", false, host.can_stop())) commands.push(command::StopScript{});
  ImGui::Separator();
  if (ImGui::MenuItem("Look again at the tensors", nullptr, false, host.state == HostState::idle))
    commands.push(command::Rescan{});
  if (ImGui::MenuItem("Clear the output")) commands.push(command::ClearOutput{});
  ImGui::Separator();
  if (ImGui::MenuItem("Kill Python", nullptr, false, host.can_kill())) commands.push(command::KillHost{});
  if (ImGui::MenuItem("Restart Python", nullptr, false, host.can_restart())) commands.push(command::RestartHost{});
  ImGui::EndMenu();
}

void view_menu(const FrameContext& context, MenuBarState& state, Commands& commands) {
  if (!ImGui::BeginMenu("View")) return;
  ImGui::MenuItem("Script", nullptr, &state.show.script);
  ImGui::MenuItem("Output", nullptr, &state.show.output);
  ImGui::MenuItem("Tensors", nullptr, &state.show.tensors);
  ImGui::MenuItem("Inspector", nullptr, &state.show.inspector);
  ImGui::MenuItem("Memory", nullptr, &state.show.memory);
  ImGui::MenuItem("Sharing", nullptr, &state.show.sharing);
  ImGui::MenuItem("Values", nullptr, &state.show.values);
  ImGui::MenuItem("Storage", nullptr, &state.show.storage);
  ImGui::Separator();
  if (ImGui::MenuItem("Filter the tensors", "Ctrl+F")) state.focus_filter = true;
  ImGui::Separator();
  const bool light = context.theme.choice == ThemeChoice::light;
  if (ImGui::MenuItem("Dark", nullptr, !light)) commands.push(command::SetTheme{ThemeChoice::dark});
  if (ImGui::MenuItem("Light", nullptr, light)) commands.push(command::SetTheme{ThemeChoice::light});
  ImGui::Separator();
  if (ImGui::MenuItem("Larger", "Ctrl+Plus", false, context.scale < kMaxScale))
    commands.push(command::SetScale{scale_step(context.scale, 1)});
  if (ImGui::MenuItem("Smaller", "Ctrl+Minus", false, context.scale > kMinScale))
    commands.push(command::SetScale{scale_step(context.scale, -1)});
  if (ImGui::MenuItem("100 %", "Ctrl+0")) commands.push(command::SetScale{1});
  ImGui::EndMenu();
}

void layout_menu(const FrameContext& context, Commands& commands) {
  if (!ImGui::BeginMenu("Layout")) return;
  const auto item = [&](const char* label, const char* keys, LayoutPreset layout) {
    if (ImGui::MenuItem(label, keys, context.layout == layout)) commands.push(command::SetLayout{layout});
  };
  item("Debug", "Ctrl+1", LayoutPreset::debug);
  item("Teach", "Ctrl+2", LayoutPreset::teach);
  item("Verify", "Ctrl+3", LayoutPreset::verify);
  ImGui::Separator();
  if (ImGui::MenuItem("Reset this layout")) commands.push(command::SetLayout{context.layout});
  ImGui::EndMenu();
}

ImVec4 state_colour(const FrameContext& context) {
  switch (context.host.state) {
    case HostState::idle:
      return context.theme.good;
    case HostState::running:
    case HostState::scanning:
    case HostState::stopping:
      return context.theme.accent;
    case HostState::crashed:
    case HostState::failed:
      return context.theme.bad;
    case HostState::ended:
      return context.theme.warn;
    default:
      return context.theme.dim;
  }
}

void draw_state(const FrameContext& context) {
  const HostStatus& host = context.host;
  const std::string state = fmt::format("● {}", host_state_word(host.state));
  const float gap = ImGui::GetStyle().ItemSpacing.x * 2;
  const float width = ImGui::CalcTextSize(state.c_str()).x + ImGui::CalcTextSize(host.python.c_str()).x + gap * 2;
  const float left = ImGui::GetWindowWidth() - width;
  if (left < ImGui::GetCursorPosX()) return;
  ImGui::SetCursorPosX(left);
  words(state, state_colour(context));
  explain(host.detail);
  ImGui::SameLine(0, gap);
  words(host.python, context.theme.text);
  if (!host.executable.empty()) explain(host.executable + "\nAnother one: start dlscope with --python PATH.");
}

}  // namespace

void draw_menu_bar(const FrameContext& context, MenuBarState& state, Commands& commands) {
  if (!ImGui::BeginMainMenuBar()) return;
  file_menu(state, commands);
  run_menu(context, state, commands);
  view_menu(context, state, commands);
  layout_menu(context, commands);
  if (ImGui::BeginMenu("Help")) {
    ImGui::MenuItem("Keys", "F1", &state.show.shortcuts);
    ImGui::EndMenu();
  }
  draw_state(context);
  ImGui::EndMainMenuBar();
}

void handle_keys(const FrameContext& context, MenuBarState& state, bool editor_has_keyboard, Commands& commands) {
  constexpr auto kGlobal = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;
  const auto pressed = [](ImGuiKeyChord chord) { return ImGui::Shortcut(chord, kGlobal); };
  if (pressed(ImGuiKey_F5) && context.host.can_run()) commands.push(command::RunScript{});
  if (pressed(ImGuiMod_Shift | ImGuiKey_F5) && context.host.can_stop()) commands.push(command::StopScript{});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_O)) state.open_file_browser = true;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_S)) commands.push(command::SaveScript{});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Q)) commands.push(command::Quit{});
  if (pressed(ImGuiKey_F1)) state.show.shortcuts = !state.show.shortcuts;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_1)) commands.push(command::SetLayout{LayoutPreset::debug});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_2)) commands.push(command::SetLayout{LayoutPreset::teach});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_3)) commands.push(command::SetLayout{LayoutPreset::verify});
  const bool larger = pressed(ImGuiMod_Ctrl | ImGuiKey_Equal) || pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) ||
                      pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd);
  if (larger) commands.push(command::SetScale{scale_step(context.scale, 1)});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Minus) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract))
    commands.push(command::SetScale{scale_step(context.scale, -1)});
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_0)) commands.push(command::SetScale{1});
  if (editor_has_keyboard) {
    if (pressed(ImGuiMod_Ctrl | ImGuiKey_Enter) && context.host.can_run()) state.run_selection = true;
  } else {
    if (pressed(ImGuiMod_Ctrl | ImGuiKey_F)) state.focus_filter = true;
    if (!ImGui::GetIO().WantTextInput && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) commands.push(command::LetGo{});
  }
}

void draw_shortcut_sheet(const FrameContext& context, ViewSwitches& show) {
  if (!show.shortcuts) return;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  if (ImGui::Begin("Keys", &show.shortcuts,
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse)) {
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
      for (const Shortcut& shortcut : kShortcuts) {
        ImGui::TableNextRow();
        ImGui::TableSetColumnIndex(0);
        words(shortcut.keys, context.theme.accent);
        ImGui::TableSetColumnIndex(1);
        words(shortcut.action);
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
