#include "app/widgets/wrapped_rows.h"

#include <algorithm>
#include <limits>

namespace dlscope::app {

void WrappedRows::show(std::size_t rows, float width, const void* list) {
  if (rows == lines_.size() && width == width_ && list == list_) return;
  width_ = width;
  list_ = list;
  lines_.assign(rows, least_);
  all_ = rows * least_;
}

WrappedRows::Place WrappedRows::at(float y, float line, float gap) const {
  std::size_t row = 0, lines = 0;
  const auto top_of = [&] { return static_cast<float>(lines) * line + static_cast<float>(row) * gap; };
  float top = 0;
  while (row < lines_.size()) {
    lines += lines_[row++];
    const float next = top_of();
    if (next > y) return {row - 1, top};
    top = next;
  }
  return {row, top};
}

float WrappedRows::height(float line, float gap) const {
  return static_cast<float>(all_) * line + static_cast<float>(lines_.size()) * gap;
}

void WrappedRows::measured(std::size_t row, std::size_t lines) {
  const auto now = static_cast<std::uint8_t>(std::clamp<std::size_t>(lines, least_, std::numeric_limits<std::uint8_t>::max()));
  all_ = all_ - lines_[row] + now;
  lines_[row] = now;
}

}  // namespace dlscope::app
