// Which rows the tensor table shows, in which order, and which of them are folded away. All of it is work for a worker:
// the panel only reads lines by number.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/models/table/table_columns.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct SortKey {
  TableColumn column{};
  bool descending = false;
  friend bool operator==(const SortKey&, const SortKey&) = default;
};

// Three views of one table: rows one after the other, under the branches of their name paths, or under their memory groups.
enum class TableView : std::uint8_t { flat, tree, groups };

// Which heads are folded: all, or none, but for some. By the path of a branch, or the name of a group's first tensor: names outlive
// a run; addresses do not.
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
  TableView view = TableView::flat;
  Folding folding = {};
  bool gone_open = false;  // the gone rows, which come last, are listed and not only counted
  // By tensor: what the columns about values are sorted by; null: nothing is known of them.
  std::shared_ptr<const std::vector<core::ValueSummary>> values = nullptr;
  friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

// One line of the table: a tensor, a gone tensor, or a head.
struct TableLine {
  std::uint32_t row = core::kNone32;      // < index.size(): a tensor; from there on: a gone one; kNone32: a head
  std::uint32_t section = core::kNone32;  // of TableOrder::sections, the innermost; kNone32: it stands under no head
};

// What stands under one head, heads below it included.
struct TableSection {
  enum class Kind : std::uint8_t { single, group, branch, gone };
  Kind kind = Kind::single;            // single: one row without a head, between groups
  std::uint32_t first = 0, count = 0;  // into TableOrder::rows
  std::uint32_t live = 0;              // of them not gone
  bool folded = false;
  std::uint32_t group = core::kNone32;   // of a group
  std::uint32_t parent = core::kNone32;  // of a branch: the section of the branch above
  std::uint32_t depth = 0;               // of a branch: how many heads are above it
  std::string path = {};                 // of a branch: "net.layers[0]"
  std::uint64_t bytes = 0;               // of a branch: of memory, counted once where its tensors share
  bool exact = true;                     // of a branch: false: the bytes of some are not known, or were not counted one by one
  std::string library = {};              // of a branch: of all its tensors; "" where they come from several

  [[nodiscard]] bool has_head() const { return kind != Kind::single; }
};

struct TableOrder {
  TableQuery query;
  std::vector<std::uint32_t> rows;  // every row the filter keeps, sorted, sections together, gone ones last
  std::vector<TableSection> sections;        // heads above before those below
  std::vector<std::uint32_t> section_of_row; // in a tree, beside `rows`: the branch of a row; kNone32: none
  std::vector<TableLine> lines;        // what the table shows
  std::vector<std::uint32_t> line_of;  // by row: its line, or that of the head it is folded under; kNone32: filtered out
  std::uint64_t kept = 0;              // tensors the filter keeps; gone ones are not counted
  std::string complaint;               // what is wrong with the filter, in words
  // Rows whose first name does not match the filter: which of their names does.
  std::unordered_map<std::uint32_t, std::uint32_t> matched_name;
  std::array<std::string, kTableColumns> longest;  // of a sample of the rows, by column: what a column needs room for
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

// What a row is called under its branch: "weight", and what a branch is called under the one above it: "layers[0]".
[[nodiscard]] std::string_view label_of_row(const SnapshotIndex& index, const TableOrder& order, const TableLine& line);
[[nodiscard]] std::string label_of_branch(const TableOrder& order, std::uint32_t section);
// "12 gone since run 8"
[[nodiscard]] std::string label_of_gone(const SnapshotIndex& index, const TableSection& section);

// What a head is folded by.
[[nodiscard]] std::string_view folding_name(const SnapshotIndex& index, const TableSection& section);

// The name a group is folded by.
[[nodiscard]] std::string_view group_name(const SnapshotIndex& index, std::uint32_t group);

// Natural order: "d[2]" before "d[10]". Less than zero: a first.
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

}  // namespace dlscope::app
