// The tensor table: what was asked for, what is shown, and the texts of the rows on screen. The order is made by a worker
// (table_order.h); a frame reads the lines it draws.
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

// What a visible row shows.
struct TableRow {
  std::array<std::string, kTableColumns> cells;
  std::vector<Badge> badges;            // words only; what the last run did is a mark at the name
  std::vector<std::string> other_names;  // besides the first, as many as are of use
  std::uint32_t colour = core::kNone32;
  Mark mark = Mark::none;
  bool gone = false;

  [[nodiscard]] const std::string& text(TableColumn column) const { return cells[static_cast<std::size_t>(column)]; }
  [[nodiscard]] std::string& text(TableColumn column) { return cells[static_cast<std::size_t>(column)]; }
};

// What a head shows.
struct TableHeadRow {
  std::string title;    // of a group: "7 tensors", "2 of 7 tensors"; of a branch: "layers[0]"; "12 gone since run 8"
  std::string members;  // of a group: "x, y, t, …"; of a branch: "12 tensors"
  std::string libraries, bytes;
  std::string summary;                   // "7 tensors, 96 B, numpy + torch"
  std::uint32_t colour = core::kNone32;  // of a group
};

class TensorTableModel {
 public:
  // A new snapshot with its rows already ordered: shown at once, together.
  void show(IndexPtr index, OrderPtr order);
  // Rows for a query asked earlier. Ignored when it belongs to another snapshot or the query changed since.
  void accept(const IndexPtr& index, OrderPtr order);

  void set_query(TableQuery query) { query_ = std::move(query); }
  [[nodiscard]] const TableQuery& query() const { return query_; }
  // The shown rows are not what query() asks for: order_rows() should run.
  [[nodiscard]] bool stale() const { return index_ && (!order_ || order_->query != query_); }

  [[nodiscard]] const IndexPtr& index() const { return index_; }
  [[nodiscard]] const OrderPtr& order() const { return order_; }
  // Rises whenever other rows are shown.
  [[nodiscard]] std::uint64_t rows_version() const { return rows_version_; }
  // Tensors the filter keeps, folded ones included.
  [[nodiscard]] std::size_t row_count() const { return order_ ? order_->kept : 0; }
  [[nodiscard]] std::size_t line_count() const { return order_ ? order_->lines.size() : 0; }
  [[nodiscard]] const TableLine& line(std::size_t number) const { return order_->lines[number]; }
  // The tensor of a line; kNone32 for a gone one and for the head of a group.
  [[nodiscard]] std::uint32_t tensor_at(std::size_t line) const;
  // The line of a tensor, or of the head it is folded under.
  [[nodiscard]] std::optional<std::size_t> row_of(std::uint32_t tensor) const;
  [[nodiscard]] const std::string& complaint() const;

  // Where the columns about values take their cells from; null: they have none. It outlives the model.
  void read_values_of(const StatisticsStore* values) { values_ = values; }
  // The texts of one row (a row number of TableLine), made when first asked for. The reference holds until the next call.
  [[nodiscard]] const TableRow& row(std::uint32_t row);
  [[nodiscard]] const TableHeadRow& head_row(std::uint32_t section);
  // For tooltips, made when they are shown: what a row's cell says when it is asked more closely, and its badges with their sentences.
  [[nodiscard]] std::string meaning(std::uint32_t row, TableColumn column) const;
  [[nodiscard]] std::vector<Badge> explained_badges(std::uint32_t row) const;
  // What the last run did to it, as a sentence; "" for nothing.
  [[nodiscard]] std::string change(std::uint32_t row) const;

 private:
  [[nodiscard]] const core::ValueSummary* values_of(std::uint32_t row) const;

  IndexPtr index_;
  OrderPtr order_;
  TableQuery query_;
  std::uint64_t rows_version_ = 0;
  const StatisticsStore* values_ = nullptr;
  std::uint64_t values_revision_ = 0;  // that rows_ were made with
  std::unordered_map<std::uint32_t, TableRow> rows_;
  std::unordered_map<std::uint32_t, TableHeadRow> heads_;
};

// The tensors as text for the clipboard: the given columns, one line each, tabs between; `heads`: the titles first.
[[nodiscard]] std::string copied_rows(const SnapshotIndex& index, std::span<const std::uint32_t> tensors,
                                      std::span<const TableColumn> columns, bool heads);

}  // namespace dlscope::app
