// How a line of the output is cut into rows: what a program printed as on a terminal, after as many characters as fit; dlscope's own
// lines, which are sentences, between words.
#pragma once

#include <cstddef>
#include <vector>

#include "app/models/script/output_model.h"
#include "app/models/script/output_rows.h"

namespace dlscope::app {

// The byte positions in the line at which its rows begin; the first is 0. A row has at least one character in any room.
void find_row_starts(const OutputLine& line, const RowMeasure& measure, std::vector<std::size_t>& out);

}  // namespace dlscope::app
