// Converts the changes of an edit to line edits, for the breakpoints.
#pragma once

#include <TextEditor.h>

#include <vector>

#include "app/models/debug/breakpoint_list.h"

namespace dlscope::app {

// For one editing step, in order, when the editor has the text after it: a deletion and an insertion at the same place are one
// replacement, of which the lines that stay are no part. Appends to `edits`, which are to be followed in that order.
void note_line_edits(const TextEditor& editor, const std::vector<TextEditor::Change>& changes, std::vector<LineEdit>& edits);

}  // namespace dlscope::app
