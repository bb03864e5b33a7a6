// The columns of the tensor table: title, meaning, initial width.
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
  unused_bytes,
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
  float width = 0;     // in font sizes; 0: takes the remaining width
  bool shown = true;   // by default
  bool mono = false;   // numbers, types, addresses
  bool right = false;  // aligned right
  bool quiet = false;  // dim
  int leaves = 0;      // hidden where room is short, the lowest number first; 0: never
};

// In the order of the enum, which is the order on the screen.
[[nodiscard]] const std::array<ColumnInfo, kTableColumns>& table_columns();

// Columns about the values, which must be read first (StatisticsStore): cell_text() does not fill them.
[[nodiscard]] constexpr bool is_of_values(TableColumn column) {
  return column == TableColumn::nan || column == TableColumn::least || column == TableColumn::greatest;
}

using ColumnSet = std::bitset<kTableColumns>;
// The default columns for a table of width `room`. widths: of each column with its padding, in the unit of room; for the badges
// their minimum. When even the columns that are never hidden do not fit, these are returned.
[[nodiscard]] ColumnSet columns_with_room(const std::array<float, kTableColumns>& widths, float room);

// Column sets by title, for the settings. Unknown titles are ignored; with any known one, the name column is included.
[[nodiscard]] std::vector<std::string> column_titles(const ColumnSet& columns);
[[nodiscard]] ColumnSet columns_titled(const std::vector<std::string>& titles);

// Widths set by hand, by title, in font sizes; 0 and unknown titles are ignored.
using ColumnWidths = std::array<float, kTableColumns>;
[[nodiscard]] std::map<std::string, float> titled_widths(const ColumnWidths& widths);
[[nodiscard]] ColumnWidths widths_titled(const std::map<std::string, float>& widths);

// The text in the cell of a tensor; "" when unknown. The badges' cell has no text.
[[nodiscard]] std::string cell_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);
// The text for the cell's tooltip: the exact number, the whole type; "" when there is no more to say.
[[nodiscard]] std::string cell_meaning(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);
// The text to copy: exact numbers, addresses without spaces.
[[nodiscard]] std::string cell_copy(const core::Snapshot& snapshot, const core::TensorRecord& tensor, TableColumn column);

}  // namespace dlscope::app
