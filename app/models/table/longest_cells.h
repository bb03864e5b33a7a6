// What the columns of the tensor table need room for.
#pragma once

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Fills order.longest from a sample of its rows, which are filtered, sorted and cut into sections. thread: a worker.
void note_longest(const SnapshotIndex& index, TableOrder& order);

}  // namespace dlscope::app
