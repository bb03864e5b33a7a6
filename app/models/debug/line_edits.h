// What changed between two versions of a file that breakpoints stand in, as edits that BreakpointList::follow() takes.
#pragma once

#include <string_view>
#include <vector>

#include "app/models/debug/run_lines.h"

namespace dlscope::app {

// The edits that make one text of the other, each of whole lines, to be followed in this order: lines that both texts have keep their
// breakpoints. Between texts that differ in more than kMostEdits lines (text_file.h), one edit.
[[nodiscard]] std::vector<LineEdit> line_edits_between(std::string_view before, std::string_view after);

}  // namespace dlscope::app
