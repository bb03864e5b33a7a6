// Sorts rows of the tensor table by the keys of a query: numbers by size, texts in natural order ("x2" before "x10"), unknown
// values last in both directions.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Stable: rows that are equal by every key keep their order. rows: row numbers as in TableOrder::rows.
// thread: a worker. False when stopped; the rows are in no particular order then.
[[nodiscard]] bool sort_rows(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows,
                             const std::stop_token& stop);

}  // namespace dlscope::app
