#include "app/models/script/output_rows.h"

#include <algorithm>

#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

// Lines that a program may still be changing (progress bars); of earlier ones only the length is compared.
constexpr std::size_t kMayChange = 256;

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

std::size_t columns_in(const RowMeasure& measure) {
  constexpr float kRounding = 0.01F;
  return std::max<std::size_t>(1, static_cast<std::size_t>((measure.room + kRounding) / std::max(measure.column, 1.0F)));
}

// Calls found(byte) with the begin of each row but the first.
template <class Found>
void each_row(std::string_view line, const RowMeasure& measure, Found&& found) {
  if (measure.room <= 0) return;
  if (is_ascii(line)) {
    const std::size_t columns = columns_in(measure);
    for (std::size_t at = columns; at < line.size(); at += columns) found(at);
    return;
  }
  float x = 0;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t next = at + 1;
    while (next < line.size() && !starts_character(line[next])) ++next;
    const float width = measure.width(line.substr(at, next - at));
    if (x > 0 && x + width > measure.room) {
      found(at);
      x = 0;
    }
    x += width;
    at = next;
  }
}

}  // namespace

void find_row_starts(std::string_view line, const RowMeasure& measure, std::vector<std::size_t>& out) {
  out.assign(1, 0);
  each_row(line, measure, [&](std::size_t at) { out.push_back(at); });
}

void OutputRows::drop(std::uint64_t first_line) {
  const std::uint64_t gone = std::min<std::uint64_t>(first_line - first_line_, lines_.size());
  if (gone > 0) dropped_ += lines_[gone - 1].end;
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(gone));
  first_line_ = first_line;
}

void OutputRows::follow(const OutputModel& output, std::size_t lines, const RowMeasure& measure) {
  const bool same_measure = measure.room == room_ && measure.column == column_;
  if (same_measure && output.revision() == revision_ && lines == lines_.size()) return;
  drop(output.first_line());
  if (!same_measure) lines_.clear();
  revision_ = output.revision();
  room_ = measure.room;
  column_ = measure.column;
  lines_.resize(lines);
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    Line& line = lines_[i];
    const std::string_view text = output.line(i).text;
    const auto bytes = static_cast<std::uint32_t>(text.size());
    if (line.bytes != bytes || i + kMayChange >= lines) {
      line.bytes = bytes;
      line.rows = 1;
      each_row(text, measure, [&](std::size_t) { ++line.rows; });
    }
    line.end = end += line.rows;
  }
}

OutputRows::Place OutputRows::at(std::size_t row) const {
  const auto line = std::ranges::upper_bound(lines_, row, {}, &Line::end);
  const auto number = static_cast<std::size_t>(line - lines_.begin());
  return {number, row - first_row_of(number)};
}

}  // namespace dlscope::app
