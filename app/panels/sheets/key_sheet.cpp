#include "app/panels/sheets/key_sheet.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/actions/palette_model.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// Parts of the width: columns as wide as texts that wrap would get narrower with every frame, down to one letter.
void set_up_columns() {
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthStretch, 0.36F);
  ImGui::TableSetupColumn("what they do", ImGuiTableColumnFlags_WidthStretch, 0.64F);
}

void key_row(const FrameContext& context, std::string_view keys, std::string_view meaning) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  draw_wrapped_text(keys, context.theme.accent);
  ImGui::TableSetColumnIndex(1);
  draw_wrapped_text(meaning, context.theme.text);
}

void context_rows(const FrameContext& context, ActionContext where) {
  const auto bound = [&](const Action& row) { return row.context == where && !context.keys.text(row.id).empty(); };
  const PanelFacts* panel = panel_of(where);
  const std::span<const FixedKey> fixed = panel == nullptr ? std::span<const FixedKey>() : panel->fixed_keys;
  if (std::ranges::none_of(actions(), bound) && fixed.empty()) return;
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_text(context_title(where));
  ImGui::PopFont();
  for (const Action& row : actions()) {
    if (bound(row)) key_row(context, context.keys.text(row.id), where == ActionContext::global ? palette_title(row) : row.title);
  }
  for (const FixedKey& row : fixed) key_row(context, row.keys, row.meaning);
}

}  // namespace

void draw_keys_of(const FrameContext& context, ActionContext where) {
  if (!ImGui::BeginTable("keys", 2)) return;
  set_up_columns();
  context_rows(context, where);
  ImGui::EndTable();
}

void draw_key_sheet(const FrameContext& context, ViewSwitches& show) {
  if (!show.shortcuts) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  const float width = std::min(ImGui::GetFontSize() * 46, viewport->WorkSize.x * 0.95F);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, viewport->WorkSize.y * 0.9F});
  constexpr auto kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse |
                          ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Keys", &show.shortcuts, kFlags)) {
    if (ImGui::BeginTable("keys", 2)) {
      set_up_columns();
      for (std::size_t i = 0; i < kActionContextCount; ++i) context_rows(context, static_cast<ActionContext>(i));
      ImGui::EndTable();
    }
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Escape, false))
      show.shortcuts = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
