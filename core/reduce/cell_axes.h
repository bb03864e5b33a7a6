// CellAxes: a tensor of any rank as a table of cells: which axes run down and across, are reduced to one value per cell or hold the channels of an
// image, and where the others stand. Of several axes that run one way the innermost is repeated for each index of the others, so that (N, C, H, W)
// with N, H down and C, W across is N x C pictures. Numbers only; nothing is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/elements/memory_order.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// What becomes of the values along a reduced axis, and of the lanes of an element.
enum class CellValue : std::uint8_t { mean, min, max };
[[nodiscard]] const char* cell_value_name(CellValue value);  // "mean", "min", "max"

struct ReducedAxis {
  std::uint8_t axis = 0;
  CellValue value = CellValue::mean;
  friend bool operator==(const ReducedAxis&, const ReducedAxis&) = default;
};

inline constexpr std::int64_t kMaxChannels = 4;

struct CellAxes {
  std::vector<std::uint8_t> down, across;  // axes, the outermost first
  // The last one first, each from what the one behind it gave; neighbours with the same value are reduced together, so that their mean is
  // that of all finite numbers. An element's lanes come before all of them.
  std::vector<ReducedAxis> reduced;
  CellValue lanes = CellValue::mean;
  std::vector<std::int64_t> at;  // one for each axis; of one that runs: < 0 where it does so from its last index to its first
  std::optional<std::uint8_t> channel = {};  // a cell has a value for each of its indices, at most kMaxChannels
  friend bool operator==(const CellAxes&, const CellAxes&) = default;
};

// A part of the table and how it is divided into texels: each is row_step x column_step cells, the last ones perhaps fewer.
struct CellWindow {
  std::int64_t row = 0, column = 0;    // first cell
  std::int64_t rows = 0, columns = 0;  // cells
  std::int64_t row_step = 1, column_step = 1;

  [[nodiscard]] std::int64_t texel_rows() const { return rows / row_step + (rows % row_step != 0 ? 1 : 0); }
  [[nodiscard]] std::int64_t texel_columns() const { return columns / column_step + (columns % column_step != 0 ? 1 : 0); }
  friend bool operator==(const CellWindow&, const CellWindow&) = default;
};

// Cells there are; 1 for a direction that no axis runs in. Fails in words where an axis is named that does not exist or twice, an
// index is out of range, there are more cells one way than 2^62, or none or too many channels.
struct CellCounts {
  std::int64_t rows = 1, columns = 1;
};
[[nodiscard]] Result<CellCounts> count_cells(LayoutView layout, const CellAxes& axes);
[[nodiscard]] std::int64_t count_channels(LayoutView layout, const CellAxes& axes);  // 1 without a channel axis
// The table of one channel.
[[nodiscard]] CellAxes channel_axes(const CellAxes& axes, std::int64_t channel);
// Fails in words where the window is no part of the table or its steps are not positive.
[[nodiscard]] Result<void> check_window(CellCounts cells, const CellWindow& window);

// Where cells along some axes lie, in bits from cell 0.
class CellLine {
 public:
  CellLine() = default;
  CellLine(LayoutView layout, const std::vector<std::uint8_t>& axes);

  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::int64_t bit(std::int64_t cell) const;
  // Cells [from, to) in as few pieces as can be, each affine: places 0, 1, ... of the AffineAxes.
  [[nodiscard]] std::vector<AffineAxes> pieces(std::int64_t from, std::int64_t to) const;
  // How far apart neighbours are, in bits; 0: they are one value, or there is but one.
  [[nodiscard]] std::int64_t step() const { return axes_.empty() ? 0 : axes_.front().stride; }
  [[nodiscard]] std::int64_t run() const { return axes_.empty() ? 1 : axes_.front().count; }  // so many have that distance
  // All cells are the same values in memory (a broadcast).
  [[nodiscard]] bool repeats() const;
  [[nodiscard]] AffineAxes all() const;

 private:
  struct Axis {
    std::int64_t stride = 0, count = 1;
  };
  void add_pieces(std::size_t axes, std::int64_t from, std::int64_t to, std::int64_t origin, std::vector<AffineAxes>& out) const;

  std::vector<Axis> axes_;  // innermost first, of length 1 left out
  std::int64_t length_ = 1;
};

// The element at index `at` on the axes that neither run nor are reduced nor hold channels, and at 0 on the others: its bit from element [0,...,0].
[[nodiscard]] std::int64_t first_cell_bit(LayoutView layout, const CellAxes& axes);

}  // namespace dlscope::core
