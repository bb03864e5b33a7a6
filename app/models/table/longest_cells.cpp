#include "app/models/table/longest_cells.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/models/table/table_columns.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kIndentCharacters = 2;  // the approximate indentation of a branch

// The badges of a row beside each other; blanks stand for the padding around each.
std::string badges_in_a_row(const SnapshotIndex& index, std::uint32_t row) {
  std::vector<Badge> badges;
  if (row < index.size())
    append_badges(index, row, badges, BadgeDetail::name_only, BadgeMarks::left_out);
  else
    append_gone_badge(index, index.marks.gone[row - index.size()], badges);
  std::string text;
  for (const Badge& badge : badges) text.append("  ").append(badge.text).append("  ");
  return text;
}

}  // namespace

void note_longest(const SnapshotIndex& index, TableOrder& order) {
  constexpr std::size_t kSample = 4096;
  std::array<std::size_t, kTableColumns> longest{};
  const auto note = [&](TableColumn column, std::string text) {
    const auto i = static_cast<std::size_t>(column);
    const std::size_t length = count_characters(text);
    if (length <= longest[i]) return;
    longest[i] = length;
    order.longest[i] = std::move(text);
  };
  const std::size_t step = order.rows.size() / kSample + 1;
  for (std::size_t i = 0; i < order.rows.size(); i += step) {
    const RowRecord record = record_of(index, order.rows[i]);
    for (const ColumnInfo& column : table_columns()) {
      if (column.column != TableColumn::name) note(column.column, cell_text(record.snapshot, record.tensor, column.column));
    }
    note(TableColumn::badges, badges_in_a_row(index, order.rows[i]));
    const std::uint32_t section = i < order.section_of_row.size() ? order.section_of_row[i] : core::kNone32;
    const std::size_t indent = section == core::kNone32 ? 0 : (order.sections[section].depth + 1) * kIndentCharacters;
    std::string name = std::string(indent, ' ').append(label_of_row(index, order, {order.rows[i], section}));
    const auto names = core::Snapshot::slice(record.snapshot.names, record.tensor.names);
    if (names.size() > 1) name.append(" = ").append(record.snapshot.str(names[1])).append(names.size() > 2 ? " +1" : "");
    note(TableColumn::name, std::move(name));
  }
  for (std::uint32_t s = 0; s < order.sections.size() && s < kSample; ++s) {
    if (order.sections[s].kind == TableSection::Kind::branch)
      note(TableColumn::name, std::string((order.sections[s].depth + 1) * kIndentCharacters, ' ') + label_of_branch(order, s));
  }
  if (!order.sections.empty() && order.sections.back().kind == TableSection::Kind::gone)
    note(TableColumn::name, label_of_gone(index, order.sections.back()));
}

}  // namespace dlscope::app
