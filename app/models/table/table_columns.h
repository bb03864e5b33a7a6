// The columns of the tensor table: what each is called, what it says, how wide it starts.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

enum class TableColumn : std::uint8_t {
  name,
  library,
  dtype,
  shape,
  strides,
  nan,
  least,
  greatest,
  badges,
  device,
  bytes,
  layout,
  exact_bytes,
  distinct_bytes,
  address,
  extent,
  alignment,
  protocol,
  capsule,
  read_by,
  type,
  names,
};
inline constexpr std::size_t kTableColumns = static_cast<std::size_t>(TableColumn::names) + 1;

struct ColumnInfo {
  TableColumn column{};
  const char* title = "";
  const char* meaning = "";
  float width = 0;     // in font sizes; 0: takes what is left
  bool shown = true;   // to somebody who chose nothing
  bool mono = false;   // numbers, types, addresses
  bool right = false;  // aligned right
  bool quiet = false;  // dim
  int leaves = 0;      // where room is short: the lowest goes first; 0: stays
};

// In the order of the enum, which is the order on the screen.
[[nodiscard]] const std::array<ColumnInfo, kTableColumns>& table_columns();

// Those about the values, which somebody has to read first (StatisticsStore): their cells are not made here.
[[nodiscard]] constexpr bool is_of_values(TableColumn column) {
  return column == TableColumn::nan || column == TableColumn::least || column == TableColumn::greatest;
}

using ColumnSet = std::bitset<kTableColumns>;
// Those shown to somebody who chose none, in a table of `room`. widths: of each column with its padding, in the unit of room; that
// of the badges is the least they need. When even the columns that stay do not fit, they are what is returned.
[[nodiscard]] ColumnSet columns_with_room(const std::array<float, kTableColumns>& widths, float room);

// By their titles, for the settings. Titles that no column has are passed over; with one that has, the name is always there.
[[nodiscard]] std::vector<std::string> column_titles(const ColumnSet& columns);
[[nodiscard]] ColumnSet columns_titled(const std::vector<std::string>& titles);

// Widths drawn by hand, by title, in font sizes; 0 and titles that no column has are passed over.
using ColumnWidths = std::array<float, kTableColumns>;
[[nodiscard]] std::map<std::string, float> titled_widths(const ColumnWidths& widths);
[[nodiscard]] ColumnWidths widths_titled(const std::map<std::string, float>& widths);

// What the cell of tensor `id` shows; "" where it is not known. The badges' cell has no text.
[[nodiscard]] std::string cell_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);
// What it says when it is asked more closely: the exact number, the whole type; "" when there is no more to say.
[[nodiscard]] std::string cell_meaning(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);
// What is copied: exact numbers, addresses without spaces.
[[nodiscard]] std::string cell_copy(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);

}  // namespace dlscope::app
