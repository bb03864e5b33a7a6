// The tensor table: which rows, in which order, and what stands in a visible row. Ordering is work for a worker
// (order_rows); the model only remembers what was asked, what is shown, and the texts of the rows on screen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/models/badges.h"
#include "app/models/snapshot_index.h"

namespace dlscope::app {

enum class TableColumn : std::uint8_t { name, library, dtype, shape, strides, device, bytes, layout, badges };

struct TableQuery {
  std::string filter = {};                 // words, all must match: "torch float32", "badge:read-only", "-numpy"
  std::optional<TableColumn> column = {};  // nullopt: as discovered
  bool descending = false;
  friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

// Ids of the rows to show, in order.
struct TableOrder {
  TableQuery query;
  std::vector<std::uint32_t> rows;
};
using OrderPtr = std::shared_ptr<const TableOrder>;

// Filter and sort; any number of tensors. thread: a worker. Null when stopped.
[[nodiscard]] OrderPtr order_rows(const SnapshotIndex& index, const TableQuery& query, const std::stop_token& stop = {});

// Natural order: "d[2]" before "d[10]". Less than zero: a first.
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

// What a visible row shows.
struct TableRow {
  std::string name, library, type, dtype, shape, strides, device, bytes, exact_bytes;
  const char* layout = "";
  std::vector<Badge> badges;
  std::uint32_t colour = core::kNone32;
  bool described = false;  // false: refused or not described; the unknown cells are empty
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
  [[nodiscard]] std::size_t row_count() const { return order_ ? order_->rows.size() : 0; }
  [[nodiscard]] std::uint32_t tensor_at(std::size_t row) const { return order_->rows[row]; }
  [[nodiscard]] std::optional<std::size_t> row_of(std::uint32_t tensor) const;  // linear: on a key press, not per frame
  // The texts of one tensor, made when first asked for. The reference holds until the next call.
  [[nodiscard]] const TableRow& row(std::uint32_t tensor);

 private:
  IndexPtr index_;
  OrderPtr order_;
  TableQuery query_;
  std::unordered_map<std::uint32_t, TableRow> rows_;
};

}  // namespace dlscope::app
