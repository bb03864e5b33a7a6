#include "app/panels/script/breakpoint_menu.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/models/actions/key_hints.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

using core::wire::Breakpoint;

constexpr const char* kPopup = "breakpoints";
constexpr int kMostRows = 12;             // shown at once; the rest is scrolled to
constexpr std::size_t kLongestText = 80;  // of what one does, before the tooltip
constexpr float kFieldWidth = 28;         // font sizes

bool draw_place(const FrameContext& context, const Breakpoint& b) {
  const std::string name = b.path.substr(b.path.rfind('/') + 1);
  const bool clicked = ImGui::TextLink(LineText("{}:{}", name, b.line).c_str());
  explain([&] { return b.path + "\n" + breakpoint_text(b, context.breakpoints) + "\nA click shows it."; });
  return clicked;
}

void draw_what(const FrameContext& context, const Breakpoint& b) {
  const core::wire::BreakpointState* const said = context.breakpoints.state_of(b.id);
  const bool is_missed = said != nullptr && !said->message.empty();
  std::string text = breakpoint_text(b, context.breakpoints);
  if (is_missed) text = said->message;
  draw_text(shortened(text, kLongestText), is_missed ? context.theme.warn : context.theme.dim);
  explain(text);
}

std::optional<SourcePlace> draw_rows(const FrameContext& context, Commands& commands) {
  std::optional<SourcePlace> chosen;
  const auto& all = context.breakpoints.all();
  const auto rows = static_cast<float>(std::min<std::size_t>(all.size(), kMostRows));
  constexpr auto kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings;
  const ImVec2 size{ImGui::GetFontSize() * 46, rows * (ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().CellPadding.y)};
  if (!ImGui::BeginTable("all", 4, kFlags, size)) return chosen;
  ImGui::TableSetupColumn("enabled");
  ImGui::TableSetupColumn("place");
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("remove");
  for (const Breakpoint& b : all) {
    ImGui::PushID(static_cast<int>(b.id));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    Breakpoint changed = b;
    if (ImGui::Checkbox("##enabled", &changed.enabled)) commands.push(command::PutBreakpoint{changed});
    explain("Off: it stays in the list, and does not stop.");
    ImGui::TableNextColumn();
    if (draw_place(context, b)) chosen = SourcePlace{b.path, b.line};
    ImGui::TableNextColumn();
    draw_what(context, b);
    ImGui::TableNextColumn();
    if (small_button("Remove")) commands.push(command::ToggleBreakpoint{b.path, b.line});
    ImGui::PopID();
  }
  ImGui::EndTable();
  return chosen;
}

bool has_folder(const std::string& script) { return !script.empty() && script[0] != '<'; }

// As typed, counted from the folder of the script; "": it has none.
std::string beside(const std::string& script, const std::string& typed) {
  const std::filesystem::path path(typed);
  if (path.is_absolute()) return path.lexically_normal().string();
  if (!has_folder(script)) return {};
  return (std::filesystem::path(script).parent_path() / path).lexically_normal().string();
}

}  // namespace

std::optional<SourcePlace> draw_breakpoint_menu(const FrameContext& context, const std::string& script, Commands& commands) {
  constexpr const char* kLabel = "Breakpoints …";
  same_line_for(button_width(kLabel));
  if (ImGui::Button(kLabel)) ImGui::OpenPopup(kPopup);
  explain("All breakpoints, of whatever file; and another file of yours, to set some there.");
  if (!ImGui::BeginPopup(kPopup)) return {};
  std::optional<SourcePlace> chosen;
  if (context.breakpoints.all().empty())
    draw_text("None is set. " + keys_or_title(context.keys, ActionId::breakpoint_toggle) + " sets one on the line of the cursor.",
              context.theme.dim);
  else
    chosen = draw_rows(context, commands);
  draw_text("Show another file of yours, to set breakpoints in it");
  std::string typed;  // the field keeps what is typed until Enter
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * kFieldWidth);
  const char* const hint =
      has_folder(script) ? "helper.py, from the script's folder" : "The script has no folder yet: type a path from the root.";
  if (ImGui::InputTextWithHint("##other file", hint, &typed, ImGuiInputTextFlags_EnterReturnsTrue)) {
    if (std::string path = beside(script, typed); !typed.empty() && !path.empty()) chosen = SourcePlace{std::move(path), 1};
  }
  explain("The script stays what it is. A path from the root works as well.");
  if (chosen) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return chosen;
}

}  // namespace dlscope::app
