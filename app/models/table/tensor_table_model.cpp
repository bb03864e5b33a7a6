#include "app/models/table/tensor_table_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/models/statistics/statistics_text.h"
#include "app/models/tensors/run_marks.h"
#include "app/models/text/format.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxCachedRows = 2048;
constexpr std::size_t kMaxMembers = 12, kMaxNames = 16;

void append_row_badges(const SnapshotIndex& index, std::uint32_t row, std::vector<Badge>& out, BadgeDetail detail) {
  if (row < index.size())
    append_badges(index, row, out, detail, BadgeMarks::left_out);
  else
    append_gone_badge(index, index.marks.gone[row - index.size()], out);
}

TableRow make_row(const SnapshotIndex& index, std::uint32_t number, const core::ValueSummary* values) {
  const auto [snapshot, tensor] = record_of(index, number);
  TableRow row;
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    row.cells[i] = cell_text(snapshot, tensor, column.column);
  }
  row.gone = number >= index.size();
  append_row_badges(index, number, row.badges, BadgeDetail::name_only);
  order_by_harm(row.badges);
  if (row.gone) return row;
  if (values != nullptr) {
    append_value_badges(*values, row.badges);
    order_by_harm(row.badges);
    row.text(TableColumn::nan) = nan_cell(*values);
    const core::DType dtype = core::numbers_of(snapshot, tensor).dtype;
    row.text(TableColumn::least) = least_cell(*values, dtype);
    row.text(TableColumn::greatest) = greatest_cell(*values, dtype);
  }
  const auto names = core::Snapshot::slice(snapshot.names, tensor.names);
  for (std::size_t i = 1; i < std::min(names.size(), kMaxNames); ++i) row.other_names.emplace_back(snapshot.str(names[i]));
  row.colour = index.colour_of(tensor);
  row.mark = index.marks.mark_of(number);
  return row;
}

TableHeadRow make_group_row(const SnapshotIndex& index, const TableSection& section) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::GroupRecord& group = snapshot.groups[section.group];
  TableHeadRow row;
  row.colour = index.colours[section.group];
  row.title = section.live == group.members.count
                  ? counted(section.live, "tensor", "tensors")
                  : fmt::format("{} of {}", grouped(section.live), counted(group.members.count, "tensor", "tensors"));
  const auto members = core::Snapshot::slice(snapshot.group_members, group.members);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == kMaxMembers) {
      row.members += ", …";
      break;
    }
    if (i > 0) row.members += ", ";
    row.members += snapshot.name(index.tensor(members[i]));
  }
  for (const core::TextRef library : core::Snapshot::slice(snapshot.group_libraries, group.libraries)) {
    if (!row.libraries.empty()) row.libraries += " + ";
    row.libraries += snapshot.str(library);
  }
  row.bytes = group.distinct_bytes == core::kUnknown64 ? "unknown" : human_bytes(group.distinct_bytes);
  row.summary = counted(group.members.count, "tensor", "tensors");
  row.summary += group.distinct_bytes == core::kUnknown64 ? ", bytes unknown" : ", " + row.bytes;
  if (!row.libraries.empty()) row.summary += ", " + row.libraries;
  return row;
}

TableHeadRow make_branch_row(const SnapshotIndex& index, const TableOrder& order, std::uint32_t number) {
  const TableSection& section = order.sections[number];
  TableHeadRow row;
  row.title = label_of_branch(order, number);
  row.members = counted(section.count, "tensor", "tensors");
  row.libraries = section.library;
  if (section.bytes == 0 && !section.exact) {
    const bool not_yet = index.snapshot->sharing_not_yet();
    row.bytes = not_yet ? "not yet known" : "unknown";
    row.summary = fmt::format("{}: {}. How many bytes of memory they have in all is {}.", section.path, row.members,
                              not_yet ? "known when it is worked out what they share" : "not known");
    return row;
  }
  row.bytes = (section.exact ? "" : "~") + human_bytes(section.bytes);
  row.summary = fmt::format("{}: {}, {} of memory, counted once where they share.", section.path, row.members,
                            exact_bytes(section.bytes));
  if (!section.exact) row.summary += " Of some it is not known exactly how many bytes are theirs.";
  return row;
}

TableHeadRow make_gone_row(const SnapshotIndex& index, const TableSection& section) {
  TableHeadRow row;
  row.title = label_of_gone(index, section);
  row.summary = fmt::format("{} {}: no name reaches {} any more.", counted(section.count, "tensor", "tensors"),
                            gone_since_text(index.marks), section.count == 1 ? "it" : "them");
  return row;
}

TableHeadRow make_head_row(const SnapshotIndex& index, const TableOrder& order, std::uint32_t number) {
  const TableSection& section = order.sections[number];
  if (section.kind == TableSection::Kind::branch) return make_branch_row(index, order, number);
  if (section.kind == TableSection::Kind::gone) return make_gone_row(index, section);
  return make_group_row(index, section);
}

}  // namespace

void TensorTableModel::show(IndexPtr index, OrderPtr order) {
  index_ = std::move(index);
  order_ = std::move(order);
  ++rows_version_;
  rows_.clear();
  heads_.clear();
}

void TensorTableModel::accept(const IndexPtr& index, OrderPtr order) {
  if (index != index_ || !order || order->query != query_) return;
  order_ = std::move(order);
  ++rows_version_;
  heads_.clear();
}

std::uint32_t TensorTableModel::tensor_at(std::size_t line) const {
  const std::uint32_t row = order_->lines[line].row;
  return index_ && row < index_->size() ? row : core::kNone32;
}

std::optional<std::size_t> TensorTableModel::row_of(std::uint32_t tensor) const {
  if (!order_ || tensor >= order_->line_of.size() || order_->line_of[tensor] == core::kNone32) return std::nullopt;
  return order_->line_of[tensor];
}

const std::string& TensorTableModel::complaint() const {
  static const std::string kNothing;
  return order_ ? order_->complaint : kNothing;
}

const core::ValueSummary* TensorTableModel::values_of(std::uint32_t row) const {
  return values_ != nullptr && values_->index() == index_ ? values_->summary_of(row) : nullptr;
}

const TableRow& TensorTableModel::row(std::uint32_t row) {
  if (values_ != nullptr && std::exchange(values_revision_, values_->summaries_revision()) != values_revision_) rows_.clear();
  const auto found = rows_.find(row);
  if (found != rows_.end()) return found->second;
  if (rows_.size() >= kMaxCachedRows) rows_.clear();
  return rows_.emplace(row, make_row(*index_, row, values_of(row))).first->second;
}

const TableHeadRow& TensorTableModel::head_row(std::uint32_t section) {
  const auto found = heads_.find(section);
  if (found != heads_.end()) return found->second;
  if (heads_.size() >= kMaxCachedRows) heads_.clear();
  return heads_.emplace(section, make_head_row(*index_, *order_, section)).first->second;
}

std::string TensorTableModel::change(std::uint32_t row) const {
  return row < index_->size() ? change_sentence(index_->marks, *index_->snapshot, row)
                              : gone_sentence(index_->marks, index_->marks.gone[row - index_->size()]);
}

std::string TensorTableModel::meaning(std::uint32_t row, TableColumn column) const {
  const auto [snapshot, tensor] = record_of(*index_, row);
  return cell_meaning(snapshot, tensor, column);
}

std::vector<Badge> TensorTableModel::explained_badges(std::uint32_t row) const {
  std::vector<Badge> badges;
  append_row_badges(*index_, row, badges, BadgeDetail::full);
  if (const core::ValueSummary* const values = values_of(row)) append_value_badges(*values, badges);
  order_by_harm(badges);
  return badges;
}

std::string copied_rows(const SnapshotIndex& index, std::span<const std::uint32_t> tensors, std::span<const TableColumn> columns,
                        bool heads) {
  std::string out;
  const auto add_line = [&](auto&& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out += '\t';
      out += cell(columns[i]);
    }
    out += '\n';
  };
  if (heads) add_line([](TableColumn c) { return std::string(table_columns()[static_cast<std::size_t>(c)].title); });
  for (const std::uint32_t id : tensors) {
    if (id >= index.size()) continue;
    add_line([&](TableColumn c) {
      if (c != TableColumn::badges) return cell_copy(*index.snapshot, index.tensor(id), c);
      std::vector<Badge> badges;
      append_badges(index, id, badges, BadgeDetail::name_only);
      std::string text;
      for (const Badge& badge : badges) text += (text.empty() ? "" : ", ") + badge.text;
      return text;
    });
  }
  return out;
}

}  // namespace dlscope::app
