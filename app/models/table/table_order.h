// The rows that the tensor table shows: their order, and which are folded away. All of it is computed by a worker; the panel only
// reads lines by number.
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

// Three views of one table: a plain list, a tree by name paths, or a list by memory groups.
enum class TableView : std::uint8_t { flat, tree, groups };

// Which heads are folded: all or none, with exceptions. Keyed by the path of a branch, or the name of a group's first tensor,
// because names stay the same from run to run, and addresses do not.
struct Folding {
  bool all = false;
  std::set<std::string, std::less<>> except;

  [[nodiscard]] bool folds(std::string_view name) const { return all != (!except.empty() && except.contains(name)); }
  void set(std::string_view name, bool folded);
  friend bool operator==(const Folding&, const Folding&) = default;
};

struct TableQuery {
  std::string filter = {};         // see table_filter.h
  std::vector<SortKey> sort = {};  // most important first; empty: in scan order
  TableView view = TableView::flat;
  Folding folding = {};
  bool gone_open = false;  // list the gone rows, which come last, instead of only counting them
  // By tensor: the values that the value columns sort by; null: unknown.
  std::shared_ptr<const std::vector<core::ValueSummary>> values = nullptr;
  friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

// One line of the table: a tensor, a gone tensor, or a head (the line above a group, branch or the gone rows).
struct TableLine {
  std::uint32_t row = core::kNone32;      // < index.size(): a tensor; index.size() and above: a gone one; kNone32: a head
  std::uint32_t section = core::kNone32;  // index of the innermost section in TableOrder::sections; kNone32: none
};

// The rows below one head, including those below inner heads.
struct TableSection {
  enum class Kind : std::uint8_t { single, group, branch, gone };
  Kind kind = Kind::single;            // single: one row without a head, among groups
  std::uint32_t first = 0, count = 0;  // into TableOrder::rows
  std::uint32_t live = 0;              // of these, not gone
  bool folded = false;
  std::uint32_t group = core::kNone32;   // for a group: its id
  std::uint32_t parent = core::kNone32;  // for a branch: the section of the branch above
  std::uint32_t depth = 0;               // for a branch: the number of heads above it
  std::string path = {};                 // for a branch: "net.layers[0]"
  std::uint64_t bytes = 0;               // for a branch: bytes of memory; what its tensors share counts once
  bool exact = true;                     // for a branch; false: the bytes of some tensors are unknown or were not counted exactly
  std::string library = {};              // for a branch: the library of all its tensors; "": several

  [[nodiscard]] bool has_head() const { return kind != Kind::single; }
};

struct TableOrder {
  TableQuery query;
  std::vector<std::uint32_t> rows;  // every row the filter keeps, sorted; sections are contiguous, gone rows last
  std::vector<TableSection> sections;        // outer ones before inner ones
  std::vector<std::uint32_t> section_of_row; // in a tree, by position in `rows`: the row's branch; kNone32: none
  std::vector<TableLine> lines;        // what the table shows
  std::vector<std::uint32_t> line_of;  // by row: its line, or that of the head it is folded below; kNone32: filtered out
  std::uint64_t kept = 0;              // number of tensors the filter keeps, without gone ones
  std::string complaint;               // what is wrong with the filter; "": nothing
  // For rows whose first name does not match the filter: the number of the name that does.
  std::unordered_map<std::uint32_t, std::uint32_t> matched_name;
  std::array<std::string, kTableColumns> longest;  // by column: the longest text in a sample of rows, for the column's width
};
using OrderPtr = std::shared_ptr<const TableOrder>;

// Filters, sorts and folds any number of tensors. shown: an order of the same index, reused when only folding differs; may be
// null. thread: a worker. Null when stopped.
[[nodiscard]] OrderPtr order_rows(const SnapshotIndex& index, const TableQuery& query, const std::stop_token& stop = {},
                                  const TableOrder* shown = nullptr);

// The record of a row number, of the present or the previous snapshot.
struct RowRecord {
  const core::Snapshot& snapshot;
  const core::TensorRecord& tensor;
};
[[nodiscard]] RowRecord record_of(const SnapshotIndex& index, std::uint32_t row);

// The label of a row below its branch: "weight"; and of a branch below another: "layers[0]".
[[nodiscard]] std::string_view label_of_row(const SnapshotIndex& index, const TableOrder& order, const TableLine& line);
[[nodiscard]] std::string label_of_branch(const TableOrder& order, std::uint32_t section);
// "12 gone since run 8"
[[nodiscard]] std::string label_of_gone(const SnapshotIndex& index, const TableSection& section);

// The key that a head is folded by.
[[nodiscard]] std::string_view folding_name(const SnapshotIndex& index, const TableSection& section);

// The key that a group is folded by.
[[nodiscard]] std::string_view group_name(const SnapshotIndex& index, std::uint32_t group);

// Natural order: "d[2]" before "d[10]". Less than zero: a comes first.
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

}  // namespace dlscope::app
