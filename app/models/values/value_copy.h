// Cells of a tensor as text to paste elsewhere: nested lists, braces, lines. Reads memory in bounded amount, for a worker.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "app/models/values/cell_range.h"
#include "app/models/values/cell_reading.h"
#include "app/models/values/value_grid.h"
#include "app/models/values/value_literal.h"

namespace dlscope::app {

inline constexpr std::uint64_t kMaxCopied = 200'000;

struct CopiedText {
  std::string text;
  std::uint64_t elements = 0;
  std::string note;  // "Only the first 200 000 of 1 000 000 values were copied." ...; "": complete
};
// An axis with a single selected index out of several is left out, as in x[1, :].
[[nodiscard]] CopiedText copy_cells(const ValueGrid& grid, const CellRange& range, CopyFormat format, const CellSource& source,
                                    const std::stop_token& stop = {});

}  // namespace dlscope::app
