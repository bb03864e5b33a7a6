// How the axes of a tensor become the rows and columns of its heat map, and which element a cell is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/models/layout/axis_mapping.h"
#include "core/reduce/cell_axes.h"

namespace dlscope::app {

enum class AxisRole : std::uint8_t { down, across, slider, reduced, channel };

// The last axis across, the one before it down, the others on sliders at 0.
[[nodiscard]] core::CellAxes default_cell_axes(std::size_t rank);
[[nodiscard]] AxisRole role_of(const core::CellAxes& axes, std::size_t axis);
// Several axes of one role stand in the order of the shape, the first one outermost. value: of AxisRole::reduced.
void set_role(core::CellAxes& axes, std::size_t axis, AxisRole role, core::CellValue value = core::CellValue::mean);
[[nodiscard]] core::CellValue value_of_reduced(const core::CellAxes& axes, std::size_t axis);
// Of a tensor with another shape: its indices are brought into range, or everything anew where the rank is another or the channels are
// none any more.
void fit_cell_axes(std::span<const std::int64_t> shape, core::CellAxes& axes);

struct CellAt {
  std::int64_t row = 0, column = 0;
  friend bool operator==(const CellAt&, const CellAt&) = default;
};
// The C-order number of a cell's element, of an image in that channel; nullopt: the cell stands for several, because axes are reduced.
// The cell exists.
[[nodiscard]] std::optional<std::uint64_t> element_of(core::LayoutView layout, const core::CellAxes& axes, CellAt cell,
                                                      std::int64_t channel = 0);
// Where an element is; also that of a reduced cell it belongs to, and of any channel. nullopt: in another slice.
[[nodiscard]] std::optional<CellAt> cell_of(core::LayoutView layout, const core::CellAxes& axes, std::uint64_t element);
// Moves the sliders so that the element is among the cells. True: one moved.
bool show_element(core::LayoutView layout, core::CellAxes& axes, std::uint64_t element);
// The same slice for the keys that move a pin: of several axes one way, the innermost.
[[nodiscard]] AxisMapping mapping_for_keys(const core::CellAxes& axes);
// "[3, :, mean, :]", "[3, :, :, channels]": what of the tensor is shown.
[[nodiscard]] std::string cells_text(const core::CellAxes& axes);

}  // namespace dlscope::app
