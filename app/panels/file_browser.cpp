#include "app/panels/file_browser.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/models/tensor_table_model.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostEntries = 2000;
constexpr std::size_t kMostVisited = 20'000;

void read_folder(FileBrowserState& state) {
  state.entries.clear();
  state.error.clear();
  state.cut_short = false;
  std::error_code failed;
  std::size_t visited = 0;
  fs::directory_iterator entry(state.folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (++visited > kMostVisited || state.entries.size() >= kMostEntries) {
      state.cut_short = true;
      break;
    }
    std::error_code ignored;
    const bool folder = entry->is_directory(ignored);
    std::string name = entry->path().filename().string();
    if (name.starts_with('.') && name != ".venv") continue;
    if (!folder && entry->path().extension() != ".py") continue;
    state.entries.push_back({std::move(name), folder});
  }
  if (failed) state.error = failed.message();
  std::ranges::sort(state.entries, [](const auto& a, const auto& b) {
    return a.folder != b.folder ? a.folder : natural_compare(a.name, b.name) < 0;
  });
}

void enter(FileBrowserState& state, const fs::path& folder) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(folder, ignored).lexically_normal();
  state.folder = absolute.string();
  const std::string name = fs::path(state.path).filename().string();
  state.path =
      (absolute / (state.purpose == FileBrowserState::Purpose::save ? (name.empty() ? "script.py" : name) : "")).string();
  read_folder(state);
}

void finish(FileBrowserState& state, Commands& commands) {
  std::error_code ignored;
  if (fs::is_directory(state.path, ignored)) {
    enter(state, state.path);
    return;
  }
  if (state.path.empty()) return;
  if (state.purpose == FileBrowserState::Purpose::open)
    commands.push(command::OpenScript{state.path});
  else
    commands.push(command::SaveScript{state.path});
  state.shown = false;
}

void draw_entries(const FrameContext& context, FileBrowserState& state, Commands& commands) {
  if (!state.error.empty()) wrapped_words("This folder cannot be read: " + state.error + ".", context.theme.bad);
  if (ImGui::Selectable("..")) {
    enter(state, fs::path(state.folder) / "..");
    return;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.entries.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& entry = state.entries[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const bool pressed = ImGui::Selectable("##entry");
      ImGui::SameLine(0, 0);
      words(entry.folder ? entry.name + "/" : entry.name, entry.folder ? context.theme.accent : context.theme.text);
      ImGui::PopID();
      if (!pressed) continue;
      const fs::path picked = fs::path(state.folder) / entry.name;
      if (entry.folder) {
        enter(state, picked);
      } else {
        state.path = picked.string();
        if (state.purpose == FileBrowserState::Purpose::open) finish(state, commands);
      }
      return;  // the entries changed
    }
  }
  if (state.cut_short) words("More files than are listed here; type the path instead.", context.theme.dim);
}

}  // namespace

void show_file_browser(FileBrowserState& state, FileBrowserState::Purpose purpose, const std::string& near) {
  std::error_code ignored;
  state.purpose = purpose;
  state.shown = true;
  fs::path place = near.empty() ? fs::current_path(ignored) : fs::path(near);
  state.path = fs::is_directory(place, ignored) ? std::string() : place.string();
  if (!fs::is_directory(place, ignored)) place = place.parent_path();
  enter(state, place.empty() ? fs::path(".") : place);
}

void draw_file_browser(const FrameContext& context, FileBrowserState& state, Commands& commands) {
  if (!state.shown) return;
  const bool open = state.purpose == FileBrowserState::Purpose::open;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({ImGui::GetFontSize() * 36, ImGui::GetFontSize() * 28}, ImGuiCond_Appearing);
  constexpr auto kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin(open ? "Open a script###browser" : "Save the script###browser", &state.shown, kFlags)) {
    const char* verb = open ? "Open" : "Save";
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(verb).x -
                            ImGui::GetStyle().FramePadding.x * 2 - ImGui::GetStyle().ItemSpacing.x);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered = ImGui::InputText("##path", &state.path, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    const bool pressed = ImGui::Button(verb);
    if (entered || pressed) finish(state, commands);
    if (ImGui::BeginChild("entries", {0, 0}, ImGuiChildFlags_Borders)) draw_entries(context, state, commands);
    ImGui::EndChild();
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Escape, false))
      state.shown = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
