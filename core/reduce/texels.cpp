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

}  // namespace dlscope::core
