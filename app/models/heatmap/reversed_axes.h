// Axes of a heat map that run from their last index to their first (CellAxes::at). Cells are counted in the direction in which they
// are drawn, elements and everything that names them are those of the tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "core/reduce/cell_axes.h"

namespace dlscope::app {

// Of an axis that runs down or across.
[[nodiscard]] inline bool is_reversed(const core::CellAxes& axes, std::size_t axis) { return axes.at[axis] < 0; }
inline void set_reversed(core::CellAxes& axes, std::size_t axis, bool reversed) { axes.at[axis] = reversed ? -1 : 0; }
// After a change of roles: an axis that no longer runs has an index instead of a direction.
void forget_directions(core::CellAxes& axes);

// The number of a row (along: axes.down) or column (axes.across) as if no axis were reversed: of a single axis its index.
[[nodiscard]] std::int64_t number_of_line(core::LayoutView layout, const core::CellAxes& axes,
                                          const std::vector<std::uint8_t>& along, std::int64_t cell);
// Turns the indices of a cell into those of its element, and back.
void mirror(core::LayoutView layout, const core::CellAxes& axes, std::vector<std::int64_t>& index);
// The element that is drawn where this one would be if no axis were reversed, and the other way round. It must exist.
[[nodiscard]] std::uint64_t mirrored_element(core::LayoutView layout, const core::CellAxes& axes, std::uint64_t element);

}  // namespace dlscope::app
