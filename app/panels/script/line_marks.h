// Coloured lines in an editor: the one with an error, and those where the frames of a stop stand.
#pragma once

#include <cstdint>

#include "app/widgets/theme.h"

class TextEditor;

namespace dlscope::app {

// line: one-based. innermost: it runs next; else a function that was called from there has not returned.
void mark_frame_line(TextEditor& editor, std::uint32_t line, const Theme& theme, bool innermost);

}  // namespace dlscope::app
