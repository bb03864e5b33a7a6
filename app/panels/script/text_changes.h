// Which lines the steps of an edit moved, as breakpoints have to know it.
#pragma once

#include <TextEditor.h>

#include <vector>

#include "app/models/debug/breakpoint_list.h"

namespace dlscope::app {

// Of one step of editing, in order: a deletion and an insertion at the same place are one replacement. Adds to `edits`.
void note_line_edits(const TextEditor& editor, const std::vector<TextEditor::Change>& changes, std::vector<LineEdit>& edits);

}  // namespace dlscope::app
