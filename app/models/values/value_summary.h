// The sum, extremes and mean of selected cells, and how many are zero or no number. Reads memory in bounded amount, for a worker.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "app/models/values/cell_range.h"
#include "app/models/values/cell_reading.h"
#include "app/models/values/value_grid.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {

inline constexpr std::uint64_t kMaxSummed = 1'048'576;  // cells

// "12 values: sum 66.0, min 0.0, max 11.0, mean 6.0, 1 zero; left out: 1 NaN, 2 +Inf". Integers are added exactly. Of what is no
// number the elements, and of dates the missing ones: "3 values; left out: 1 NaT".
[[nodiscard]] std::string summary_of_cells(const ValueGrid& grid, core::TensorNumbers numbers, const CellRange& range,
                                           const CellSource& source, const std::stop_token& stop = {});

}  // namespace dlscope::app
