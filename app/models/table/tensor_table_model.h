// The tensor table: the present query, the rows shown, and the texts of the visible rows. A worker makes the order
// (table_order.h); a frame reads only the lines it draws.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/models/statistics/statistics_store.h"
#include "app/models/table/table_order.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// The content of a visible row.
struct TableRow {
  std::array<std::string, kTableColumns> cells;
  std::vector<Badge> badges;            // text only; what the last run changed is a mark beside the name
  std::vector<std::string> other_names;  // without the first one, up to a useful number
  std::uint32_t colour = core::kNone32;
  Mark mark = Mark::none;
  bool gone = false;

  [[nodiscard]] const std::string& text(TableColumn column) const { return cells[static_cast<std::size_t>(column)]; }
  [[nodiscard]] std::string& text(TableColumn column) { return cells[static_cast<std::size_t>(column)]; }
};

// The content of a head.
struct TableHeadRow {
  std::string title;    // for a group: "7 tensors", "2 of 7 tensors"; for a branch: "layers[0]"; "12 gone since run 8"
  std::string members;  // for a group: "x, y, t, …"; for a branch: "12 tensors"
  std::string libraries, bytes;
  std::string summary;                   // "7 tensors, 96 B, numpy + torch"
  std::uint32_t colour = core::kNone32;  // for a group
};

class TensorTableModel {
 public:
  // Shows a new snapshot together with its ordered rows.
  void show(IndexPtr index, OrderPtr order);
  // Takes the rows for an earlier query; ignored when the snapshot or the query has changed since.
  void accept(const IndexPtr& index, OrderPtr order);

  void set_query(TableQuery query) { query_ = std::move(query); }
  [[nodiscard]] const TableQuery& query() const { return query_; }
  // True when the shown rows do not answer query(): order_rows() has to run.
  [[nodiscard]] bool stale() const { return index_ && (!order_ || order_->query != query_); }

  [[nodiscard]] const IndexPtr& index() const { return index_; }
  [[nodiscard]] const OrderPtr& order() const { return order_; }
  // Rises whenever the rows change.
  [[nodiscard]] std::uint64_t rows_version() const { return rows_version_; }
  // The number of tensors the filter keeps, including folded ones.
  [[nodiscard]] std::size_t row_count() const { return order_ ? order_->kept : 0; }
  [[nodiscard]] std::size_t line_count() const { return order_ ? order_->lines.size() : 0; }
  [[nodiscard]] const TableLine& line(std::size_t number) const { return order_->lines[number]; }
  // The tensor of a line; kNone32 for a gone one or a head.
  [[nodiscard]] std::uint32_t tensor_at(std::size_t line) const;
  // The line of a tensor, or of the head it is folded below; nullopt: filtered out.
  [[nodiscard]] std::optional<std::size_t> row_of(std::uint32_t tensor) const;
  [[nodiscard]] const std::string& complaint() const;

  // Sets the source of the value columns; null: they stay empty. It must outlive the model.
  void read_values_of(const StatisticsStore* values) { values_ = values; }
  // The texts of one row (a TableLine::row), made on first use. The reference is valid until the next call.
  [[nodiscard]] const TableRow& row(std::uint32_t row);
  [[nodiscard]] const TableHeadRow& head_row(std::uint32_t section);
  // For tooltips, made when shown: the longer text of a cell, and the badges with their sentences.
  [[nodiscard]] std::string meaning(std::uint32_t row, TableColumn column) const;
  [[nodiscard]] std::vector<Badge> explained_badges(std::uint32_t row) const;
  // What the last run changed, as a sentence; "": nothing.
  [[nodiscard]] std::string change(std::uint32_t row) const;

 private:
  [[nodiscard]] const core::ValueSummary* values_of(std::uint32_t row) const;

  IndexPtr index_;
  OrderPtr order_;
  TableQuery query_;
  std::uint64_t rows_version_ = 0;
  const StatisticsStore* values_ = nullptr;
  std::uint64_t values_revision_ = 0;  // StatisticsStore::summaries_revision() that rows_ were made with
  std::unordered_map<std::uint32_t, TableRow> rows_;
  std::unordered_map<std::uint32_t, TableHeadRow> heads_;
};

// The tensors as text for the clipboard: one line each, the given columns separated by tabs. heads: titles in the first line.
[[nodiscard]] std::string copied_rows(const SnapshotIndex& index, std::span<const std::uint32_t> tensors,
                                      std::span<const TableColumn> columns, bool heads);

}  // namespace dlscope::app
