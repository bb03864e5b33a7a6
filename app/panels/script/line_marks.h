// Coloured lines in an editor: errors, and the lines of a stop's frames.
#pragma once

#include <cstdint>

#include "app/widgets/theme.h"

class TextEditor;

namespace dlscope::app {

// line: one-based. innermost: it runs next; else it called a function that has not returned.
void mark_frame_line(TextEditor& editor, std::uint32_t line, const Theme& theme, bool innermost);

}  // namespace dlscope::app
