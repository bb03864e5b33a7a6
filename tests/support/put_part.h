// put_part(): a window of texels put together from its parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/reduce/texels.h"

namespace dlscope::tests {

// The part lies inside the window: fits().
inline void put_part(const core::Texels& part, core::Texels& window) {
  const core::TexelRect& at = part.rect;
  const std::uint32_t rows = part.repeats_down ? window.rect.rows : at.rows;
  const std::uint32_t columns = part.repeats_across ? window.rect.columns : at.columns;
  for (std::uint32_t line = 0; line < rows * part.channels; ++line) {
    const std::uint32_t channel = line / rows, row = line % rows;
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::size_t from = channel * at.size() + std::size_t{row % at.rows} * at.columns + column % at.columns;
      const std::size_t to = channel * window.rect.size() +
                             std::size_t{row + (part.repeats_down ? 0 : at.row)} * window.rect.columns + column +
                             (part.repeats_across ? 0 : at.column);
      window.min[to] = part.min[from];
      window.max[to] = part.max[from];
      window.mean[to] = part.mean[from];
      window.flags[to] = part.flags[from];
    }
  }
}

}  // namespace dlscope::tests
