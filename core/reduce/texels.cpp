#include "core/reduce/texels.h"

namespace dlscope::core {

bool fits(const Texels& part, const Texels& window) {
  const auto within = [](std::uint32_t first, std::uint32_t count, std::uint32_t all) {
    return count > 0 && first < all && count <= all - first;
  };
  const std::size_t size = part.size();
  return part.channels == window.channels && within(part.rect.row, part.rect.rows, window.rect.rows) &&
         within(part.rect.column, part.rect.columns, window.rect.columns) && part.min.size() == size &&
         part.max.size() == size && part.mean.size() == size && part.flags.size() == size;
}

void put_part(const Texels& part, Texels& window) {
  const TexelRect& at = part.rect;
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

}  // namespace dlscope::core
