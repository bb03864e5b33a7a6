// Edits of the script's text that the editor does not have itself; each is a single step of Undo.
#pragma once

#include <cstddef>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/text/text_search.h"

class TextEditor;

namespace dlscope::app {

// Replaces the text by a newer one, changing only the lines that differ; cursor and scroll position keep their lines.
void replace_keeping_place(TextEditor& editor, const std::string& before, const std::string& after);
// Comments out the selected lines, or removes the comments.
void toggle_comment(TextEditor& editor);
// Moves the selected lines, or that of the cursor, one line up or down; the selection goes with them.
enum class MoveLines { up, down };
void move_lines(TextEditor& editor, MoveLines where);
// Enter: a new line, indented for the code before it.
void break_line(TextEditor& editor, const std::string& unit);
// Whether the cursor is in the indentation of a line: then Backspace removes a whole indentation step.
[[nodiscard]] bool before_code(const TextEditor& editor, const std::string& unit);
void take_back_indent(TextEditor& editor, const std::string& unit);
// Selects the match and scrolls it into view.
void select_match(TextEditor& editor, const TextMatch& match);
void go_to_line(TextEditor& editor, std::size_t line);
// Marks the matches in the text, a bounded number around the cursor.
void paint_matches(TextEditor& editor, const FindResult& found, unsigned colour);
void apply_replacements(TextEditor& editor, const ReplacePlan& plan);

// The selection, or the statement at the cursor; empty text: neither.
[[nodiscard]] command::RunText part_to_run(const TextEditor& editor);

}  // namespace dlscope::app
