// WrappedRows: where the rows of a long list lie whose texts are wrapped, without measuring all of them: a row that was never on the screen
// counts as a least one. Measuring a row moves what is below it, never what is above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlscope::app {

class WrappedRows {
 public:
  explicit WrappedRows(std::uint8_t least_lines) : least_(least_lines) {}

  // list: which one it is. Another list, or another width: nothing is measured any more.
  void show(std::size_t rows, float width, const void* list);

  // A row is as high as its lines and the gap to the next. line, gap and y are in pixels.
  struct Place {
    std::size_t row = 0;
    float top = 0;
  };
  // The row that y lies in, counted from the top of the list. Behind the last row: rows() and the end of the list.
  [[nodiscard]] Place at(float y, float line, float gap) const;
  [[nodiscard]] float height(float line, float gap) const;  // of all
  void measured(std::size_t row, std::size_t lines);

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  [[nodiscard]] std::size_t lines_of(std::size_t row) const { return lines_[row]; }

 private:
  std::uint8_t least_;
  float width_ = 0;
  const void* list_ = nullptr;
  std::vector<std::uint8_t> lines_;  // of each row; no text is longer than 255 lines
  std::size_t all_ = 0;
};

}  // namespace dlscope::app
