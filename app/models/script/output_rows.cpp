#include "app/models/script/output_rows.h"

#include <algorithm>

#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

// Lines that a program may still be changing (progress bars); of earlier ones only the length is compared.
constexpr std::size_t kMayChange = 256;

constexpr float kRounding = 0.01F;  // pixels

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

std::size_t columns_in(const RowMeasure& measure) {
  return std::max<std::size_t>(1, static_cast<std::size_t>((measure.room + kRounding) / std::max(measure.column, 1.0F)));
}

std::size_t end_of_character(std::string_view line, std::size_t at) {
  do ++at;
  while (at < line.size() && !starts_character(line[at]));
  return at;
}

// Calls found(byte) with the begin of each row but the first.
template <class Found>
void each_row_of_characters(std::string_view line, const RowMeasure& measure, Found&& found) {
  if (is_ascii(line)) {
    const std::size_t columns = columns_in(measure);
    for (std::size_t at = columns; at < line.size(); at += columns) found(at);
    return;
  }
  float x = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t next = end_of_character(line, at);
    const float width = measure.width(line.substr(at, next - at));
    if (x > 0 && x + width > measure.room) {
      found(at);
      x = 0;
    }
    x += width;
    at = next;
  }
}

// The same between words; within a word that is wider than a row, after as many characters as fit. The blanks at the end of a row
// need no room.
template <class Found>
void each_row_of_words(std::string_view line, const RowMeasure& measure, Found&& found) {
  const auto width = [&](std::size_t from, std::size_t to) {
    const std::string_view text = line.substr(from, to - from);
    return is_ascii(text) ? measure.column * static_cast<float>(text.size()) : measure.width(text);
  };
  std::size_t row = 0, word = 0;  // where they begin
  float x = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t next = end_of_character(line, at);
    const float more = width(at, next);
    while (x > 0 && line[at] != ' ' && x + more > measure.room + kRounding) {
      row = word > row ? word : at;
      found(row);
      x = width(row, at);
    }
    x += more;
    if (line[at] == ' ') word = next;
    at = next;
  }
}

template <class Found>
void each_row(const OutputLine& line, const RowMeasure& measure, Found&& found) {
  if (measure.room <= 0) return;
  if (line.kind == OutputKind::text)
    each_row_of_characters(line.text, measure, found);
  else
    each_row_of_words(line.text, measure, found);
}

}  // namespace

void find_row_starts(const OutputLine& line, const RowMeasure& measure, std::vector<std::size_t>& out) {
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
    const OutputLine& text = output.line(i);
    const auto bytes = static_cast<std::uint32_t>(text.text.size());
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
