// Maps the axes of a tensor to the rows and columns of its heat map, and cells to elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/models/layout/axis_mapping.h"
#include "core/reduce/cell_axes.h"
#include "core/tensor/dtype.h"

namespace dlscope::app {

enum class AxisRole : std::uint8_t { down, across, slider, reduced, channel };

// The last axis across, the one before it down, the others on sliders at 0.
[[nodiscard]] core::CellAxes default_cell_axes(std::size_t rank);
[[nodiscard]] AxisRole role_of(const core::CellAxes& axes, std::size_t axis);
// Several axes with one role are in the order of the shape, the first one outermost. value: for AxisRole::reduced.
void set_role(core::CellAxes& axes, std::size_t axis, AxisRole role, core::CellValue value = core::CellValue::mean);
[[nodiscard]] core::CellValue value_of_reduced(const core::CellAxes& axes, std::size_t axis);
// Adapts the axes to a tensor with another shape: brings its indices into range; resets everything when the rank differs or the
// channel axis no longer fits.
void fit_cell_axes(std::span<const std::int64_t> shape, core::CellAxes& axes);

struct CellAt {
  std::int64_t row = 0, column = 0;
  friend bool operator==(const CellAt&, const CellAt&) = default;
};
// The C-order number of a cell's element, for an image in that channel; nullopt: axes are reduced, so the cell stands for
// several. The cell must exist.
[[nodiscard]] std::optional<std::uint64_t> element_of(core::LayoutView layout, const core::CellAxes& axes, CellAt cell,
                                                      std::int64_t channel = 0);
// The cell of an element, also a reduced cell or that of any channel. nullopt: the element is in another slice.
[[nodiscard]] std::optional<CellAt> cell_of(core::LayoutView layout, const core::CellAxes& axes, std::uint64_t element);
// Moves the sliders so that the element is shown. True: a slider moved.
bool show_element(core::LayoutView layout, core::CellAxes& axes, std::uint64_t element);
// The same slice for the keys that move a pin; where several axes share a direction, the innermost one moves.
[[nodiscard]] AxisMapping mapping_for_keys(const core::CellAxes& axes);
// Whether what a cell shows is a value of the tensor that may name a category: an integer, and no mean of several.
[[nodiscard]] bool shows_categories(core::DType dtype, const core::CellAxes& axes);
// "[3, :, mean, :]", "[3, :, :, channels]": the shown part of the tensor.
[[nodiscard]] std::string cells_text(const core::CellAxes& axes);

}  // namespace dlscope::app
