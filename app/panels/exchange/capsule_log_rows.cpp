#include "app/panels/exchange/capsule_log_rows.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kLongEvent = "consumed: renamed used_dltensor_versioned, seen now";

// The width of a column, by the longest of its texts.
float column_width(const std::vector<CapsuleLogRow>& rows, const char* title, std::string CapsuleLogRow::*column) {
  const auto longest = std::ranges::max_element(rows, {}, [&](const CapsuleLogRow& row) { return (row.*column).size(); });
  const float width = longest == rows.end() ? 0 : std::min(text_width((*longest).*column), ImGui::GetFontSize() * 12);
  return std::max(text_width(title), width);
}

void log_cell(const std::string& text, const ImVec4& colour) {
  draw_text(text, colour);
  explain(std::string_view(text));
}

// In a narrow panel the event has a line of its own, below when, which and where.
void draw_narrow_log(const FrameContext& context, const std::vector<CapsuleLogRow>& rows) {
  if (!ImGui::BeginTable("narrow log", 1, ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings)) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const CapsuleLogRow& row = rows[static_cast<std::size_t>(i)];
      ImGui::TableNextColumn();
      draw_text(LineText("{}   {}   {}", row.time, row.capsule, row.thread), context.theme.dim);
      log_cell(row.event, context.theme.text);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_log_rows(const FrameContext& context, const std::vector<CapsuleLogRow>& rows) {
  const float time = column_width(rows, "Time", &CapsuleLogRow::time),
              thread = column_width(rows, "Thread", &CapsuleLogRow::thread);
  const float capsule = column_width(rows, "Capsule", &CapsuleLogRow::capsule);
  const float paddings = ImGui::GetStyle().CellPadding.x * 8 + context.px(4);
  if (ImGui::GetContentRegionAvail().x - time - thread - capsule - paddings < text_width(kLongEvent))
    return draw_narrow_log(context, rows);
  constexpr auto kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("log", 4, kFlags)) return;
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, time);
  ImGui::TableSetupColumn("Capsule", ImGuiTableColumnFlags_WidthFixed, capsule);
  ImGui::TableSetupColumn("Event", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Thread", ImGuiTableColumnFlags_WidthFixed, thread);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const CapsuleLogRow& row = rows[static_cast<std::size_t>(i)];
      for (const std::string* const text : {&row.time, &row.capsule, &row.event, &row.thread}) {
        ImGui::TableNextColumn();
        log_cell(*text, context.theme.text);
      }
    }
  }
  ImGui::EndTable();
}

}  // namespace dlscope::app
