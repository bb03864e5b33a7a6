// ValueGrid: the elements of a tensor of any rank, or of a slice of it, as a table of numbers: two axes as rows and columns, the
// others at fixed indices. Reads only the visible window, directly from the memory of the process; nothing is cached, so the shown
// values are the present ones. The cost depends on the window, not on the tensor; positions are 64-bit.
// thread: any, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/layout/axis_mapping.h"
#include "app/models/values/slice_view.h"
#include "app/models/values/value_format.h"
#include "core/elements/element_bytes.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/element.h"

namespace dlscope::app {

struct GridWindow {
  std::uint64_t row = 0, column = 0;    // the first ones
  std::uint32_t rows = 0, columns = 0;  // their number
  [[nodiscard]] std::size_t cells() const { return std::size_t{rows} * columns; }
  friend bool operator==(const GridWindow&, const GridWindow&) = default;
};

// The raw bytes of a window's cells, row by row.
struct CellBytes : core::ElementBytes {
  GridWindow window;
};

struct GridCell {
  std::string text;  // "?": could not be read; "…": the read has not finished; "": there is no element
  core::ValueClass value_class = core::ValueClass::normal;
  bool readable = false, awaited = false;
};

// The text in place of a missing value, as part of a sentence.
[[nodiscard]] const char* text_without_value(core::MemoryReader::ReadStatus status);

class ValueGrid {
 public:
  // The tensor's values must be readable (why_no_values() is empty). `mapping` must fit its rank, and its slice the tensor.
  ValueGrid(core::SnapshotPtr snapshot, std::uint32_t tensor, AxisMapping mapping);
  [[nodiscard]] bool shows(const core::Snapshot& snapshot, std::uint32_t tensor, const AxisMapping& mapping) const {
    return snapshot_.get() == &snapshot && tensor_ == &snapshot.tensors[tensor] && mapping_ == mapping;
  }
  [[nodiscard]] const core::Snapshot& snapshot() const { return *snapshot_; }
  [[nodiscard]] const core::TensorRecord& tensor() const { return *tensor_; }
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t columns() const;
  [[nodiscard]] const AxisMapping& mapping() const { return mapping_; }
  [[nodiscard]] core::SignBits signs() const { return signs_; }
  void take_as_stored() { signs_ = {}; }  // values are those of the bytes, whatever the library means by them
  [[nodiscard]] core::LayoutView layout() const { return snapshot_->layout(*tensor_); }  // of the tensor
  [[nodiscard]] const SliceView& shown() const { return shown_; }  // of the slice, or of the tensor where all of it is shown

  // False for cells of the last row of a wrapped vector that have no element.
  [[nodiscard]] bool has(std::uint64_t row, std::uint64_t column) const {
    return mapping_.wrap == 0 || row * mapping_.wrap + column < elements_;
  }

  // C-order number, in the tensor, of the element in that cell, which must have one (has()).
  [[nodiscard]] std::uint64_t element(std::uint64_t row, std::uint64_t column) const;
  // Its cell, whatever the fixed indices are; nullopt: it is not in the slice.
  [[nodiscard]] std::optional<CellPlace> place(std::uint64_t element) const;
  // The element after one step; the same one at the end of an axis. `element` must be in the slice.
  [[nodiscard]] std::uint64_t stepped(std::uint64_t element, FocusStep step) const;
  // The tensor's index on the axis that runs down, or across. In a wrapped vector that of the row's first element, and how much
  // further the column's is.
  [[nodiscard]] std::int64_t row_index(std::uint64_t row) const;
  [[nodiscard]] std::int64_t column_index(std::uint64_t column) const;
  // The bytes that this element touches.
  [[nodiscard]] core::ByteRange bytes(std::uint64_t row, std::uint64_t column) const;

  // The window cut at the table's edge.
  [[nodiscard]] GridWindow cut(GridWindow window) const;
  // Reads the raw bytes of the window after cutting it.
  void fetch(const core::MemoryReader& reader, GridWindow window, CellBytes& out) const;
  // Formats fetched bytes; `out` gets one cell for each cell of the window.
  void write(const CellBytes& fetched, NumberFormat format, std::vector<GridCell>& out) const;
  // fetch() and write() in one; returns the cut window.
  GridWindow read(const core::MemoryReader& reader, GridWindow window, std::vector<GridCell>& out) const;

 private:
  [[nodiscard]] std::int64_t bit_of(std::uint64_t row, std::uint64_t column) const;

  core::SnapshotPtr snapshot_;
  const core::TensorRecord* tensor_;
  AxisMapping mapping_;
  SliceView shown_;
  std::uint64_t elements_;  // of the slice
  core::SignBits signs_;
};

// Reads one element now and formats it. nullopt: its values cannot be shown at all; an unreadable cell: its bytes cannot be read
// now.
[[nodiscard]] std::optional<GridCell> read_element(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                   std::uint64_t element, const core::MemoryReader& reader,
                                                   NumberFormat format = {});

}  // namespace dlscope::app
