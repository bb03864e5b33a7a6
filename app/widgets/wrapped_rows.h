// WrappedRows: positions of the rows of a long list with wrapped texts, without measuring all of them: a row that was never
// visible counts as least_lines high. Measuring a row moves only the rows below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlscope::app {

class WrappedRows {
 public:
  explicit WrappedRows(std::uint8_t least_lines) : least_(least_lines) {}

  // list: the list's identity. Another list or width forgets all measurements.
  void show(std::size_t rows, float width, const void* list);

  // A row's height is its lines plus the gap to the next one. line, gap and y are in pixels.
  struct Place {
    std::size_t row = 0;
    float top = 0;
  };
  // The row at y, counted from the top of the list; beyond the last row: rows() and the end of the list.
  [[nodiscard]] Place at(float y, float line, float gap) const;
  [[nodiscard]] float height(float line, float gap) const;  // of all
  void measured(std::size_t row, std::size_t lines);

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  [[nodiscard]] std::size_t lines_of(std::size_t row) const { return lines_[row]; }

 private:
  std::uint8_t least_;
  float width_ = 0;
  const void* list_ = nullptr;
  std::vector<std::uint8_t> lines_;  // of each row; texts have at most 255 lines
  std::size_t all_ = 0;
};

}  // namespace dlscope::app
