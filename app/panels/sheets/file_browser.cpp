#include "app/panels/sheets/file_browser.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/widgets/marks.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

void enter(FileBrowserState& state, const fs::path& folder) {
  state.folder = folder.lexically_normal().string();
  const std::string name = fs::path(state.path).filename().string();
  const bool saves = state.purpose == FileBrowserState::Purpose::save;
  state.path = (fs::path(state.folder) / (saves ? (name.empty() ? "script.py" : name) : "")).string();
  state.asked = false;
}

// What is typed counts from the folder that is listed, not from the one that dlscope was started in.
void finish(FileBrowserState& state, Commands& commands) {
  if (state.path.empty()) return;
  state.path = (fs::path(state.folder) / state.path).lexically_normal().string();
  // Opening a folder is detected by OpenScript, which comes back here.
  switch (state.purpose) {
    case FileBrowserState::Purpose::open: commands.push(command::OpenScript{state.path}); break;
    case FileBrowserState::Purpose::save: commands.push(command::SaveScript{state.path}); break;
    case FileBrowserState::Purpose::compare: commands.push(command::CompareWithFile{state.path}); break;
  }
  state.shown = false;
}

void draw_entries(const FrameContext& context, FileBrowserState& state, Commands& commands) {
  const FolderListing& listing = state.listing;
  if (ImGui::Selectable("..")) {
    enter(state, fs::path(state.folder) / "..");
    return;
  }
  if (listing.folder != state.folder) {
    draw_text("Reading the folder …", context.theme.dim);
    return;
  }
  if (!listing.error.empty()) draw_wrapped_text("This folder cannot be read: " + listing.error + ".", context.theme.bad);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listing.entries.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& entry = listing.entries[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const bool fits = entry.folder || state.purpose != FileBrowserState::Purpose::compare || core::is_tensor_file(entry.name);
      const bool pressed = ImGui::Selectable("##entry", false, fits ? 0 : ImGuiSelectableFlags_Disabled);
      ImGui::SameLine(0, 0);
      draw_text(entry.folder ? entry.name + "/" : entry.name, entry.folder ? context.theme.accent
                                                              : fits         ? context.theme.text
                                                                             : context.theme.dim);
      ImGui::PopID();
      if (!pressed) continue;
      const fs::path picked = fs::path(state.folder) / entry.name;
      if (entry.folder) {
        enter(state, picked);
      } else {
        state.path = picked.string();
        if (state.purpose != FileBrowserState::Purpose::save) finish(state, commands);
      }
      return;  // the entries changed
    }
  }
  if (listing.cut_short) draw_text("More files than are listed here; type the path instead.", context.theme.dim);
}

}  // namespace

void show_file_browser(FileBrowserState& state, FileBrowserState::Purpose purpose, const std::string& near) {
  std::error_code ignored;
  state.purpose = purpose;
  state.shown = true;
  const fs::path place = near.empty() ? fs::path() : fs::path(near);
  state.path = place.has_filename() ? place.string() : std::string();
  enter(state, place.has_parent_path() ? fs::current_path(ignored) / place.parent_path() : fs::current_path(ignored));
}

void draw_file_browser(const FrameContext& context, FileBrowserState& state, Commands& commands) {
  if (!state.shown) return;
  if (!std::exchange(state.asked, true)) commands.push(command::ReadFolder{state.folder});
  struct Words {
    const char *title, *verb;
  };
  static constexpr Words kWords[] = {{"Open a script or a file of tensors###browser", "Open"},
                                     {"Save the script###browser", "Save"},
                                     {"Choose the file to compare with###browser", "Compare"}};
  const auto& [title, verb] = kWords[static_cast<std::size_t>(state.purpose)];
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({ImGui::GetFontSize() * 36, ImGui::GetFontSize() * 28}, ImGuiCond_Appearing);
  constexpr auto kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin(title, &state.shown, kFlags)) {
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
