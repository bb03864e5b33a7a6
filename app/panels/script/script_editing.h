// What the script panel does to the text in its editor, beyond what the editor itself can: all as single steps of Undo.
#pragma once

#include <cstddef>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/text/text_search.h"

class TextEditor;

namespace dlscope::app {

// Replaces the text by a newer one as an edit: only the lines that differ; cursor and scroll stay with their lines.
void replace_keeping_place(TextEditor& editor, const std::string& before, const std::string& after);
// Comments the selected lines, or takes the comments off.
void toggle_comment(TextEditor& editor);
// What Enter does: a new line, indented as the code asks.
void break_line(TextEditor& editor, const std::string& unit);
// Whether the cursor stands in spaces in front of the code: Backspace takes a whole step of indentation then.
[[nodiscard]] bool before_code(const TextEditor& editor, const std::string& unit);
void take_back_indent(TextEditor& editor, const std::string& unit);
// Selects it and brings it into view.
void select_match(TextEditor& editor, const TextMatch& match);
void go_to_line(TextEditor& editor, std::size_t line);
// Paints what was found behind the text; a bounded number of it, around the cursor.
void paint_matches(TextEditor& editor, const FindResult& found, unsigned colour);
void apply_replacements(TextEditor& editor, const ReplacePlan& plan);

// The selection, or the statement with the cursor; empty text when there is neither.
[[nodiscard]] command::RunText part_to_run(const TextEditor& editor);

}  // namespace dlscope::app
