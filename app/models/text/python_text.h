// Python source by lines: which form a statement, which part can be run by itself, whether the text is complete. Handles strings,
// brackets, comments, continuation and indentation, but not Python's grammar.
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

// The innermost statement that contains the line: all its physical lines, for a compound statement with its block, its else and
// its decorators. nullopt: a blank or comment line.
[[nodiscard]] std::optional<LineRange> statement_at(std::string_view text, std::size_t line);

// A part of a script, made runnable: removes its common indentation, but not inside strings.
[[nodiscard]] std::string dedented(std::string_view part);

struct RunPart {
  std::string text;
  std::size_t first_line = 0;  // zero-based, where the text begins in the script
};
// The lines first..last of a text, ready to run.
[[nodiscard]] RunPart part_of_lines(std::string_view text, LineRange lines);

enum class Completeness { complete, incomplete };
// Whether a console should run this text now, by the rules of Python's codeop; used when Python cannot be asked.
[[nodiscard]] Completeness judge_complete(std::string_view text);

// Comments out every line, or removes the comments when every line that is not blank has one.
[[nodiscard]] std::string toggled_comment(std::string_view lines);

// What Enter inserts at the start of the next line: the line's indentation, more after a colon or an open bracket, less after
// return, pass and the like. `before` is the line up to the cursor.
[[nodiscard]] std::string next_indent(std::string_view before, std::string_view unit);

// The indentation unit of a text: "\t", or that many spaces; four spaces by default.
[[nodiscard]] std::string indent_unit(std::string_view text);

}  // namespace dlscope::app
