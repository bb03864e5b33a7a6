#include <imgui.h>

#include <utility>

#include "app/models/exchange/exchange_text.h"
#include "app/models/text/fitted_text.h"
#include "app/panels/exchange/exchange_tabs.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// The rows of the shown snapshot, made once: there may be as many as copies were made.
const std::vector<LedgerRow>& rows_of(const FrameContext& context, LedgerState& ledger) {
  if (ledger.generation != context.generation) {
    ledger.generation = context.generation;
    ledger.rows = context.index != nullptr ? ledger_rows(*context.index->snapshot) : std::vector<LedgerRow>();
  }
  return ledger.rows;
}

std::string explanation(const LedgerRow& row) {
  std::string text = row.to.empty() ? row.from : row.from + " → " + row.to;
  for (const std::string* const line : {&row.size, &row.rate, &row.path, &row.why}) {
    if (line->empty()) continue;
    text += "\n" + *line;
  }
  return text;
}

}  // namespace

void draw_ledger_tab(const FrameContext& context, LedgerState& ledger) {
  const std::vector<LedgerRow>& rows = rows_of(context, ledger);
  if (rows.empty()) {
    draw_wrapped_text(
        "dlscope has copied no tensor, and written nothing by hand. Viewing, scanning and reading values copy none; copies you "
        "ask for are listed here.",
        context.theme.dim);
    if (ledger.last_known_bytes == 0) return;
  }
  const bool kept = ledger.last_known_bytes > 0;
  const LedgerRow& last_known = ledger.last_known.get(
      ledger.last_known_bytes, [&](LedgerRow& row) { row = last_known_row(ledger.last_known_bytes, ledger.most_last_known); });
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                          ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("ledger", 5, kFlags)) return;
  for (const auto& [title, weight] : {std::pair("From", 3.0F), {"To", 3.0F}, {"Copied", 4.0F}, {"Way", 3.0F}, {"Why", 4.0F}})
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, weight);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size() + (kept ? 1 : 0)));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const LedgerRow& row = at < rows.size() ? rows[at] : last_known;
      ImGui::TableNextRow();
      for (const std::string* const text : {&row.from, &row.to, &row.rate, &row.path, &row.why}) {
        ImGui::TableNextColumn();
        if (text == &row.from || text == &row.to)
          draw_text(fit_text(*text, ImGui::GetContentRegionAvail().x, text_width), context.theme.text);
        else
          draw_text(*text, context.theme.text);  // words: their beginning says more than their end
        explain([&] { return explanation(row); });
      }
    }
  }
  ImGui::EndTable();
}

}  // namespace dlscope::app
