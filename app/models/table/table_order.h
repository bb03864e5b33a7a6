// Which rows the tensor table shows, in which order, and which of them are folded away. All of it is work for a worker:
// the panel only reads lines by number.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/table/table_columns.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct SortKey {
  TableColumn column{};
  bool descending = false;
  friend bool operator==(const SortKey&, const SortKey&) = default;
};

// Which memory groups are folded: all, or none, but for some. By the name of a group's first tensor, which outlives a run;
// addresses do not.
struct Folding {
  bool all = false;
  std::set<std::string, std::less<>> except;

  [[nodiscard]] bool folds(std::string_view name) const { return all != (!except.empty() && except.contains(name)); }
  void set(std::string_view name, bool folded);
  friend bool operator==(const Folding&, const Folding&) = default;
};

struct TableQuery {
  std::string filter = {};         // see table_filter.h
  std::vector<SortKey> sort = {};  // most important first; none: as discovered
  bool by_group = false;           // tensors that share memory under one head
  Folding folding = {};
  friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

// One line of the table: a tensor, a gone tensor, or the head of a group.
struct TableLine {
  std::uint32_t row = core::kNone32;      // < index.size(): a tensor; from there on: a gone one; kNone32: a head
  std::uint32_t section = core::kNone32;  // of TableOrder::sections; kNone32 where the table is not by group
};

struct TableSection {
  std::uint32_t group = core::kNone32;  // kNone32: one row without a head
  std::uint32_t first = 0, count = 0;   // into TableOrder::rows
  std::uint32_t live = 0;               // of them not gone
  bool folded = false;
};

struct TableOrder {
  TableQuery query;
  std::vector<std::uint32_t> rows;  // every row the filter keeps, sorted, sections together
  std::vector<TableSection> sections;
  std::vector<TableLine> lines;        // what the table shows
  std::vector<std::uint32_t> line_of;  // by row: its line, or that of the head it is folded under; kNone32: filtered out
  std::uint64_t kept = 0;              // tensors the filter keeps; gone ones are not counted
  std::string complaint;               // what is wrong with the filter, in words
};
using OrderPtr = std::shared_ptr<const TableOrder>;

// Filter, sort, fold; any number of tensors. `shown`: an order of the same index, used again where only folding differs;
// may be null. thread: a worker. Null when stopped.
[[nodiscard]] OrderPtr order_rows(const SnapshotIndex& index, const TableQuery& query, const std::stop_token& stop = {},
                                  const TableOrder* shown = nullptr);

// The record behind a row number, of either snapshot.
struct RowRecord {
  const core::Snapshot& snapshot;
  const core::TensorRecord& tensor;
};
[[nodiscard]] RowRecord record_of(const SnapshotIndex& index, std::uint32_t row);

// The name a group is folded by.
[[nodiscard]] std::string_view group_name(const SnapshotIndex& index, std::uint32_t group);

// Natural order: "d[2]" before "d[10]". Less than zero: a first.
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

}  // namespace dlscope::app
