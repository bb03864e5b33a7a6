#include "app/panels/script/log_panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/models/actions/event_log.h"
#include "app/models/text/format.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxDrawn = 300;  // wrapped lines have different heights, so all drawn ones are laid out in every frame

using Rows = std::vector<const LoggedEvent*>;

void draw_event(const FrameContext& context, const LoggedEvent& event) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_text(event.time, context.theme.dim);
  ImGui::PopFont();
  ImGui::TableNextColumn();
  draw_text(event.kind, context.theme.dim);
  ImGui::TableNextColumn();
  draw_wrapped_text(event.text, tone_colour(context.theme, event.tone));
}

void find_rows(LogPanelState& state, const Notices& notices) {
  if (state.seen == notices.logged_count() && state.rows_filter == state.filter) return;
  state.rows = log_rows(notices, state.filter);
  state.rows_filter = state.filter;
}

void draw_head(const FrameContext& context, LogPanelState& state, const Notices& notices, Commands& commands) {
  std::array<char, 128> buffer{};
  state.filter.copy(buffer.data(), buffer.size() - 1);
  ImGui::SetNextItemWidth(context.px(220));
  if (ImGui::InputTextWithHint("##filter", "Filter: time, kind, text", buffer.data(), buffer.size())) {
    state.filter = buffer.data();
    find_rows(state, notices);
  }
  const Rows& rows = state.rows;
  same_line_for(button_width("Save as text"));
  if (small_button("Save as text")) commands.push(command::SaveText{"The log", "dlscope-log-", ".txt", log_text(rows)});
  explain("Writes what the filter leaves into a new file in the folder dlscope was started in.");
  same_line_for(button_width("Save as JSON"));
  if (small_button("Save as JSON")) commands.push(command::SaveText{"The log", "dlscope-log-", ".json", log_json(rows)});
  explain(
      "Writes what the filter leaves into a new file in the folder dlscope was started in, with the keys that events have in the "
      "report.");
  const std::string dropped = dropped_text(notices);
  const std::size_t not_drawn = rows.size() - std::min(rows.size(), kMaxDrawn);
  if (!dropped.empty()) draw_wrapped_text(dropped, context.theme.warn);
  if (not_drawn > 0) draw_wrapped_text(LineText("{} before these: filter, or save them", not_drawn), context.theme.dim);
}

}  // namespace

void draw_log_panel(const FrameContext& context, LogPanelState& state, const Notices& notices, Commands& commands) {
  if (ImGui::Begin(title_of(ActionContext::log))) {
    find_rows(state, notices);
    draw_head(context, state, notices, commands);
    const Rows& rows = state.rows;
    if (rows.empty())
      draw_wrapped_text(state.filter.empty()
                            ? "Nothing has happened yet. Runs, what they changed, every notice, and what the script's process "
                              "noted (copies, refusals, capsules, leases) are listed here."
                            : "Nothing that has happened contains this.",
                        context.theme.dim);
    if (ImGui::BeginTable("events", 3, ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit)) {
      ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch);
      // The lines are as high as they are wrapped, which is known a frame or two after the panel came up: so also when they grow.
      const float end = ImGui::GetScrollMaxY(), end_before = std::exchange(state.end, end);
      const bool at_end = ImGui::GetScrollY() >= end_before - 1;
      const std::size_t first = rows.size() - std::min(rows.size(), kMaxDrawn);
      for (std::size_t i = first; i < rows.size(); ++i) draw_event(context, *rows[i]);
      if (at_end && (end > end_before || state.seen != notices.logged_count())) ImGui::SetScrollHereY(1);
      state.seen = notices.logged_count();
      if (ImGui::BeginPopupContextWindow("log menu")) {
        if (ImGui::MenuItem("Copy all")) ImGui::SetClipboardText(log_text(rows).c_str());
        ImGui::EndPopup();
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
