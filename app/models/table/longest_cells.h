// Measures how wide the columns of the tensor table need to be.
#pragma once

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Fills order.longest from a sample of the rows, which must be filtered, sorted and divided into sections. thread: a worker.
void note_longest(const SnapshotIndex& index, TableOrder& order);

}  // namespace dlscope::app
