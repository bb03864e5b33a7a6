// The cells that the values view shows or has selected, as a slice of the tensor; and how the view shows a slice.
#pragma once

#include <vector>

#include "app/models/layout/axis_mapping.h"
#include "app/models/values/cell_range.h"
#include "core/tensor/axis_slice.h"

namespace dlscope::app {

// One index on every axis that runs neither down nor across; a range on the two that do. Of a vector in several rows it has the
// elements from the first to the last cell. A slice that the mapping shows is taken into account: the result is of the tensor.
[[nodiscard]] std::vector<core::AxisSlice> shown_slice(core::LayoutView layout, const AxisMapping& mapping,
                                                       const CellRange& cells);

// The mapping for another slice: the same axes run down and across, unless only one index is taken of one of them and another
// axis has more; index 0 on the others.
[[nodiscard]] AxisMapping mapping_of_slice(const AxisMapping& before, int rank, std::vector<core::AxisSlice> slice);

}  // namespace dlscope::app
