// Python source as lines: which of them form a statement, what of it can be run by itself, whether it is complete. Knows
// strings, brackets, comments, continuation and indentation; the grammar is Python's own business.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

// Lines [first, last], zero-based.
struct LineRange {
  std::size_t first = 0, last = 0;
  friend bool operator==(const LineRange&, const LineRange&) = default;
};

// The innermost statement with that line: all its physical lines, a compound one with its block, its else and its
// decorators. nullopt on a blank or comment line.
[[nodiscard]] std::optional<LineRange> statement_at(std::string_view text, std::size_t line);

// A part of a script as it can be run: its common indentation taken off, the inside of strings left as it is.
[[nodiscard]] std::string dedented(std::string_view part);

struct RunPart {
  std::string text;
  std::size_t first_line = 0;  // zero-based, where the text begins in the script
};
// The whole lines first..last of a text, ready to run.
[[nodiscard]] RunPart part_of_lines(std::string_view text, LineRange lines);

enum class Completeness { complete, incomplete };
// Whether a console should run this text now, as Python's codeop would judge it; for when Python cannot be asked.
[[nodiscard]] Completeness judge_complete(std::string_view text);

// Comments every line, or takes the comments off when every line that is not blank has one.
[[nodiscard]] std::string toggled_comment(std::string_view lines);

// What Enter puts at the start of the next line: the line's indentation, more after a colon or an open bracket, less after
// return, pass and the like. `before` is the line up to the cursor.
[[nodiscard]] std::string next_indent(std::string_view before, std::string_view unit);

// How a text indents: "\t", or that many spaces; four where nothing tells.
[[nodiscard]] std::string indent_unit(std::string_view text);

}  // namespace dlscope::app
