// ValueGrid: the elements of a tensor of any rank as a table of numbers: two axes as rows and columns, the others fixed.
// Reads only the window that is visible, straight from the memory of the process that owns it; nothing is cached, so what
// is shown is what is there now. Costs the window, whatever the tensor's size; positions are 64 bits wide.
// thread: any, one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/element.h"

namespace dlscope::app {

// Which axis runs down, which across; -1: none (a scalar, a vector's rows). fixed[axis] is the index on every other axis.
struct AxisMapping {
  int row = -1;
  int column = -1;
  std::vector<std::int64_t> fixed;
  friend bool operator==(const AxisMapping&, const AxisMapping&) = default;
};

// The last axis across, the one before it down, 0 on the rest.
[[nodiscard]] AxisMapping default_mapping(int rank);

struct GridWindow {
  std::uint64_t row = 0, column = 0;    // first of each
  std::uint32_t rows = 0, columns = 0;  // how many
};

struct GridCell {
  std::string text;  // "?" when it could not be read
  core::ValueClass value_class = core::ValueClass::normal;
  bool readable = false;
};

class ValueGrid {
 public:
  // The tensor must have a layout, an address space and an address. `mapping` must fit its rank.
  ValueGrid(core::SnapshotPtr snapshot, std::uint32_t tensor, AxisMapping mapping);
  // Why the values of this tensor cannot be shown: "device memory is not read", ...; "" when they can.
  [[nodiscard]] static std::string why_not(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t columns() const;
  [[nodiscard]] const AxisMapping& mapping() const { return mapping_; }

  // C-order number of the element in that cell.
  [[nodiscard]] std::uint64_t element(std::uint64_t row, std::uint64_t column) const;
  // The bytes it touches.
  [[nodiscard]] core::ByteRange bytes(std::uint64_t row, std::uint64_t column) const;

  // Fills `out` with rows x columns cells, row by row; the window is cut at the table's edge first and returned.
  GridWindow read(const core::MemoryReader& reader, GridWindow window, std::vector<GridCell>& out) const;

 private:
  [[nodiscard]] std::int64_t bit_of(std::uint64_t row, std::uint64_t column) const;

  core::SnapshotPtr snapshot_;
  const core::TensorRecord* tensor_;
  AxisMapping mapping_;
};

enum class CopyFormat : std::uint8_t { python, c, csv };
// The cells as text to paste: nested lists, braces, or comma-separated lines. `columns` cells make a row.
[[nodiscard]] std::string cells_as_text(const std::vector<GridCell>& cells, std::uint32_t columns, CopyFormat format);

}  // namespace dlscope::app
