#include "app/models/script/output_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/models/text/format.h"
#include "core/base/utf8.h"
#include "core/base/utf8_text.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxCursorUp = 200;  // progress bars use a few lines; more is a full-screen program
constexpr std::size_t kMaxCsiBytes = 64;
constexpr std::size_t kMaxStringBytes = 4096;  // a longer control string is not treated as one
constexpr std::size_t kMaxStyles = 1024;
constexpr char32_t kReplacement = 0xFFFD;

std::u32string from_utf8(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const core::Utf8Char c = core::decode_utf8(text);
    out += c.valid ? c.code : kReplacement;
    text.remove_prefix(c.bytes);
  }
  return out;
}

bool printable(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
  if (c >= 0x202A && c <= 0x202E) return false;  // direction overrides could make text misleading
  if (c >= 0x2066 && c <= 0x2069) return false;
  return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
}

std::size_t first_number(std::string_view parameters, std::size_t otherwise) {
  std::size_t value = otherwise;
  std::from_chars(parameters.data(), parameters.data() + parameters.size(), value);
  return value;
}

// The numbers of a control sequence, whose length kMaxCsiBytes bounds.
std::vector<unsigned> numbers_of(std::string_view parameters) {
  std::vector<unsigned> out;
  unsigned value = 0;
  for (const char c : parameters) {
    if (c >= '0' && c <= '9') {
      value = std::min(value * 10 + static_cast<unsigned>(c - '0'), 99'999U);
    } else if (c == ';' || c == ':') {
      out.push_back(std::exchange(value, 0));
    } else {
      return {};  // a private sequence
    }
  }
  out.push_back(value);
  return out;
}

// Parses 38;5;n and 38;2;r;g;b from the number after 38 on; returns how many numbers it used.
std::size_t extended_colour(const std::vector<unsigned>& n, std::size_t at, TextColour& colour) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(i < n.size() ? std::min(n[i], 255U) : 0); };
  if (at >= n.size()) return 0;
  if (n[at] == 5) {
    colour = {TextColour::Kind::indexed, byte(at + 1), 0, 0};
    return 2;
  }
  if (n[at] == 2) {
    colour = {TextColour::Kind::rgb, byte(at + 1), byte(at + 2), byte(at + 3)};
    return 4;
  }
  return 1;
}

}  // namespace

OutputModel::OutputModel(Limits limits) : limits_(limits) { clear(); }

void OutputModel::clear() {
  first_line_ += lines_.size();
  lines_.assign(1, {});
  bytes_ = dropped_lines_ = skipped_bytes_ = 0;
  styles_.assign(1, {});
  pen_ = {};
  pen_number_ = 0;
  edit_.clear();
  waiting_.clear();
  row_ = column_ = 0;
  state_ = State::ground;
  missing_ = 0;
  ++revision_;
}

void OutputModel::append(std::string_view bytes) {
  waiting_.append(bytes);
  if (waiting_.size() <= limits_.waiting) return;
  std::size_t skip = waiting_.size() - limits_.waiting / 2;
  const std::size_t line_end = waiting_.find('\n', skip);
  if (line_end != std::string::npos) skip = line_end + 1;
  waiting_.erase(0, skip);
  skipped_bytes_ += skip;
  state_ = State::ground;
  missing_ = 0;
  write_note(fmt::format("... {} were printed faster than they could be shown here ...", human_bytes(skip)));
}

bool OutputModel::digest() {
  if (waiting_.empty()) return false;
  const std::size_t now = std::min(waiting_.size(), limits_.digest_per_frame);
  process(std::string_view(waiting_).substr(0, now));
  waiting_.erase(0, now);
  return !waiting_.empty();
}

void OutputModel::process(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::ground && missing_ == 0) {
      const std::size_t plain = put_plain(bytes);
      bytes.remove_prefix(plain);
      if (bytes.empty()) break;
    }
    decode(static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1);
  }
  store_edit_line();
  trim();
  ++revision_;
}

std::size_t OutputModel::put_plain(std::string_view bytes) {
  std::size_t n = 0;
  while (n < bytes.size() && bytes[n] >= 0x20 && bytes[n] < 0x7F) ++n;
  for (std::size_t i = 0; i < n; ++i) put(static_cast<unsigned char>(bytes[i]));
  return n;
}

void OutputModel::put(char32_t point) {
  if (column_ >= limits_.line_length) new_line();
  if (column_ > edit_.size()) edit_.resize(column_);
  if (column_ == edit_.size())
    edit_.push_back({point, pen_number_});
  else
    edit_[column_] = {point, pen_number_};
  ++column_;
}

void OutputModel::decode(unsigned char c) {
  switch (state_) {
    case State::escape:
      csi_.clear();
      string_bytes_ = 0;
      if (c >= 0x20 && c < 0x30) return;  // selects a character set, whose name follows
      state_ = c == '[' ? State::csi : c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X' ? State::string : State::ground;
      return;
    case State::csi:
      if (c >= 0x40 && c <= 0x7E)
        finish_csi(static_cast<char>(c));
      else if (c == 0x1B)
        state_ = State::escape;
      else if (c < 0x20) {
        state_ = State::ground;
        control(c);
      } else if (csi_.size() < kMaxCsiBytes)
        csi_ += static_cast<char>(c);
      return;
    case State::string:
      if (c == 0x07 || ++string_bytes_ > kMaxStringBytes)
        state_ = State::ground;
      else if (c == 0x1B)
        state_ = State::string_escape;
      return;
    case State::string_escape:
      state_ = c == '\\' ? State::ground : State::string;
      return;
    case State::ground:
      break;
  }
  if (missing_ > 0) {
    if ((c & 0xC0) == 0x80) {
      point_ = (point_ << 6) | (c & 0x3FU);
      if (--missing_ == 0) put(printable(point_) ? point_ : kReplacement);
      return;
    }
    missing_ = 0;
    put(kReplacement);
  }
  if (c < 0x20 || c == 0x7F)
    control(c);
  else if (c < 0x80)
    put(c);
  else if (c >= 0xC2 && c < 0xE0) {
    point_ = c & 0x1FU;
    missing_ = 1;
  } else if (c >= 0xE0 && c < 0xF0) {
    point_ = c & 0x0FU;
    missing_ = 2;
  } else if (c >= 0xF0 && c < 0xF5) {
    point_ = c & 0x07U;
    missing_ = 3;
  } else
    put(kReplacement);
}

void OutputModel::control(unsigned char c) {
  switch (c) {
    case '\n':
      new_line();
      break;
    case '\r':
      column_ = 0;
      break;
    case '\b':
      column_ -= column_ > 0 ? 1 : 0;
      break;
    case '\t':
      column_ = std::min((column_ / 8 + 1) * 8, limits_.line_length - 1);  // the text it skips stays
      break;
    case 0x1B:
      state_ = State::escape;
      break;
    default:
      break;
  }
}

void OutputModel::finish_csi(char final) {
  state_ = State::ground;
  switch (final) {
    case 'A': {  // cursor up
      const std::size_t up = std::min({first_number(csi_, 1), row_, kMaxCursorUp});
      store_edit_line();
      row_ -= up;
      load_edit_line();
      break;
    }
    case 'B': {  // cursor down, never past the last line
      const std::size_t down = std::min(first_number(csi_, 1), lines_.size() - 1 - row_);
      store_edit_line();
      row_ += down;
      load_edit_line();
      break;
    }
    case 'C':
      column_ = std::min(column_ + first_number(csi_, 1), limits_.line_length - 1);
      break;
    case 'D':
      column_ -= std::min(column_, first_number(csi_, 1));
      break;
    case 'G':
      column_ = std::min(std::max<std::size_t>(first_number(csi_, 1), 1) - 1, limits_.line_length - 1);
      break;
    case 'K': {
      const std::size_t mode = first_number(csi_, 0);
      if (mode == 2)
        edit_.clear();
      else if (mode == 1)
        std::fill_n(edit_.begin(), std::min(column_, edit_.size()), Cell{});
      else if (column_ < edit_.size())
        edit_.resize(column_);
      break;
    }
    case 'm':
      set_style(csi_);
      break;
    default:
      break;  // modes and full-screen commands: not supported in a plain text pane
  }
}

void OutputModel::set_style(std::string_view parameters) {
  // 38:2::r:g:b leaves the place of the colour space empty.
  std::string plain(parameters);
  for (std::size_t at = 0; (at = plain.find(":2::", at)) != std::string::npos;) plain.replace(at, 4, ":2:");
  const std::vector<unsigned> n = numbers_of(plain);
  for (std::size_t i = 0; i < n.size(); ++i) {
    const unsigned v = n[i];
    const auto indexed = [](unsigned index) {
      return TextColour{TextColour::Kind::indexed, static_cast<std::uint8_t>(index), 0, 0};
    };
    if (v == 0)
      pen_ = {};
    else if (v == 1)
      pen_.bold = true;
    else if (v == 2)
      pen_.dim = true;
    else if (v == 4)
      pen_.underlined = true;
    else if (v == 7)
      pen_.inverse = true;
    else if (v == 22)
      pen_.bold = pen_.dim = false;
    else if (v == 24)
      pen_.underlined = false;
    else if (v == 27)
      pen_.inverse = false;
    else if (v >= 30 && v <= 37)
      pen_.ink = indexed(v - 30);
    else if (v >= 90 && v <= 97)
      pen_.ink = indexed(v - 90 + 8);
    else if (v >= 40 && v <= 47)
      pen_.ground = indexed(v - 40);
    else if (v >= 100 && v <= 107)
      pen_.ground = indexed(v - 100 + 8);
    else if (v == 39)
      pen_.ink = {};
    else if (v == 49)
      pen_.ground = {};
    else if (v == 38 || v == 48)
      i += extended_colour(n, i + 1, v == 38 ? pen_.ink : pen_.ground);
  }
  pen_number_ = style_number(pen_);
}

std::uint16_t OutputModel::style_number(const TextStyle& style) {
  const auto found = std::ranges::find(styles_, style);
  if (found != styles_.end()) return static_cast<std::uint16_t>(found - styles_.begin());
  if (styles_.size() >= kMaxStyles) return 0;
  styles_.push_back(style);
  return static_cast<std::uint16_t>(styles_.size() - 1);
}

void OutputModel::store_edit_line() {
  OutputLine& line = lines_[row_];
  bytes_ -= line.text.size() + line.runs.size() * sizeof(StyleRun);
  line.text.clear();
  line.runs.clear();
  std::uint16_t style = 0;
  for (const Cell& cell : edit_) {
    if (cell.style != style) line.runs.push_back({static_cast<std::uint32_t>(line.text.size()), cell.style});
    style = cell.style;
    core::append_utf8(line.text, cell.point);
  }
  bytes_ += line.text.size() + line.runs.size() * sizeof(StyleRun);
}

void OutputModel::load_edit_line() {
  const OutputLine& line = lines_[row_];
  edit_.clear();
  std::size_t run = 0, byte = 0;
  std::uint16_t style = 0;
  for (const char32_t point : from_utf8(line.text)) {
    while (run < line.runs.size() && line.runs[run].begin <= byte) style = line.runs[run++].style;
    edit_.push_back({point, style});
    byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
}

void OutputModel::new_line() {
  store_edit_line();
  column_ = 0;
  if (row_ + 1 < lines_.size()) {
    ++row_;
    load_edit_line();
    return;
  }
  lines_.emplace_back();
  ++row_;
  edit_.clear();
  trim();
}

void OutputModel::trim() {
  while (lines_.size() > 1 && row_ > 0 && (lines_.size() > limits_.lines || bytes_ > limits_.bytes)) {
    bytes_ -= lines_.front().text.size() + lines_.front().runs.size() * sizeof(StyleRun);
    lines_.pop_front();
    --row_;
    ++dropped_lines_;
    ++first_line_;
  }
}

void OutputModel::note(std::string_view text, OutputKind kind) {
  while (digest()) {
  }
  write_note(text, kind);
}

void OutputModel::write_note(std::string_view text, OutputKind kind) {
  state_ = State::ground;
  missing_ = 0;
  pen_number_ = 0;  // our text in our colours; the program's style continues after it
  store_edit_line();
  row_ = lines_.size() - 1;
  load_edit_line();
  column_ = edit_.size();
  if (!edit_.empty()) new_line();
  lines_[row_].kind = kind;
  for (const char32_t c : from_utf8(text)) {
    if (printable(c)) put(c);
    if (c != U'\n') continue;
    new_line();
    lines_[row_].kind = kind;
  }
  new_line();
  lines_[row_].kind = OutputKind::text;
  pen_number_ = style_number(pen_);
  ++revision_;
}

std::string OutputModel::text_between(OutputPlace from, OutputPlace to) const {
  if (to < from) std::swap(from, to);
  std::string out;
  for (std::uint64_t number = std::max(from.line, first_line_); number <= to.line; ++number) {
    const std::uint64_t i = number - first_line_;
    if (i >= lines_.size()) break;
    std::string_view text = lines_[i].text;
    if (number == to.line) text = text.substr(0, std::min(to.byte, text.size()));
    if (number == from.line) text.remove_prefix(std::min(from.byte, text.size()));
    out += text;
    if (number < to.line) out += '\n';
  }
  return out;
}

std::string OutputModel::all_text() const {
  std::string out;
  out.reserve(bytes_ + lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0) out += '\n';
    out += lines_[i].text;
  }
  return out;
}

}  // namespace dlscope::app
