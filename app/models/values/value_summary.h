// The sum and extremes of selected cells. Reads memory in bounded amount, for a worker.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "app/models/values/cell_range.h"
#include "app/models/values/cell_reading.h"
#include "app/models/values/value_grid.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {

inline constexpr std::uint64_t kMaxSummed = 65'536;

// "12 values: sum 66.0, min 0.0, max 11.0, 1 NaN left out". Integers are added exactly.
[[nodiscard]] std::string summary_of_cells(const ValueGrid& grid, core::TensorNumbers numbers, const CellRange& range,
                                           const CellSource& source, const std::stop_token& stop = {});

}  // namespace dlscope::app
