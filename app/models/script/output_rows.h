// OutputRows: how the lines of the output are cut into the rows of a panel: what a program printed as on a terminal, after as many
// characters as fit; dlscope's own lines, which are sentences, between words. Bounded like the output itself. thread: ui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/models/script/output_model.h"

namespace dlscope::app {

// In pixels. width() measures a text; every ASCII character is one column wide.
struct RowMeasure {
  float room = 0;  // of a row; 0: lines are not cut
  float column = 1;
  float (*width)(std::string_view) = nullptr;
};

// The byte positions in a line at which its rows begin; the first is 0. A row has at least one character in any room.
void find_row_starts(const OutputLine& line, const RowMeasure& measure, std::vector<std::size_t>& out);

class OutputRows {
 public:
  // The first `lines` lines of the output. Costs nothing while neither the output nor the measure changes.
  void follow(const OutputModel& output, std::size_t lines, const RowMeasure& measure);

  struct Place {
    std::size_t line = 0, row = 0;  // the row is counted within the line
  };
  [[nodiscard]] std::size_t size() const { return lines_.empty() ? 0 : lines_.back().end; }
  [[nodiscard]] Place at(std::size_t row) const;  // row < size()
  [[nodiscard]] std::size_t first_row_of(std::size_t line) const { return lines_[line].end - lines_[line].rows; }
  [[nodiscard]] std::size_t rows_of(std::size_t line) const { return lines_[line].rows; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }  // rows of lines that were dropped from the front
  [[nodiscard]] float room() const { return room_; }      // of the measure that was followed
  [[nodiscard]] float column() const { return column_; }

 private:
  struct Line {
    std::uint32_t bytes = ~0U;
    std::uint32_t rows = 0;
    std::uint32_t end = 0;  // rows up to and with this line
  };
  void drop(std::uint64_t first_line);

  std::vector<Line> lines_;
  std::uint64_t revision_ = 0, first_line_ = 0, dropped_ = 0;
  float room_ = -1, column_ = 0;
};

}  // namespace dlscope::app
