#include "app/models/debug/run_lines.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "app/models/debug/line_edits.h"

namespace dlscope::app {
namespace {

// The line that the edit moved to `line`; 0: the edit made it.
std::uint32_t line_before(std::uint32_t line, const LineEdit& edit) {
  if (line < edit.first) return line;
  if (line > edit.new_last) return line - edit.new_last + edit.last;
  for (std::uint32_t before = edit.first; before <= edit.last; ++before) {
    if (line_after(before, edit) == line) return before;
  }
  return 0;
}

}  // namespace

std::uint32_t line_after(std::uint32_t line, const LineEdit& edit) {
  if (line < edit.first) return line;
  if (line > edit.last) return line - edit.last + edit.new_last;
  if (line == edit.last && (line != edit.first || edit.at_line_start)) return edit.new_last;
  const bool replaced = edit.last != edit.first && edit.new_last != edit.first;  // lines replaced by lines: each keeps its number
  if (line == edit.first && !edit.at_line_start) return line;
  return replaced && line < edit.new_last ? line : 0;  // what stays of the last line is on line new_last
}

void RunLines::run(std::string_view path, std::shared_ptr<const std::string> text) {
  path_ = path;
  text_ = std::move(text);
  edits_.clear();
}

void RunLines::open(std::string_view path, std::string_view text) {
  if (path != path_) return;
  if (text_)
    edits_ = line_edits_between(*text_, text);
  else
    run({});
}

void RunLines::follow(std::string_view path, const LineEdit& edit) {
  if (path == path_ && (edit.first != edit.last || edit.last != edit.new_last)) edits_.push_back(edit);
}

std::uint32_t RunLines::in_text(std::string_view path, std::uint32_t line_of_code) const {
  std::uint32_t line = line_of_code;
  if (path != path_) return line;
  for (const LineEdit& edit : edits_) {
    if (line != 0) line = line_after(line, edit);
  }
  return line;
}

std::uint32_t RunLines::in_code(std::string_view path, std::uint32_t line_of_text) const {
  std::uint32_t line = line_of_text;
  if (path != path_) return line;
  for (const LineEdit& edit : edits_ | std::views::reverse) {
    if (line != 0) line = line_before(line, edit);
  }
  return line;
}

}  // namespace dlscope::app
