// Sorts rows of the tensor table by the keys of a query: numbers by their size, texts as people order them ("x2" before "x10"),
// what is not known last in either direction.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Stable: rows that are equal by every key stay in the order they came in. rows: numbers as TableOrder::rows has them.
// thread: a worker. False when stopped, with the rows in any order.
[[nodiscard]] bool sort_rows(const SnapshotIndex& index, const TableQuery& query, std::vector<std::uint32_t>& rows,
                             const std::stop_token& stop);

}  // namespace dlscope::app
