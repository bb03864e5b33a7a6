// Draws characters that no font has as boxes with the code point in hexadecimal, and nothing for joiners and direction marks.
// They are the last source of every face (fonts.h), and remember which characters were needed, so that a font for these can be
// searched.
#pragma once

#include <imgui.h>

#include <vector>

namespace dlscope::app {

// Adds boxes after the fonts of `face`; boxes that it has already are replaced, because fonts were added since.
void add_code_point_boxes(ImFont* face);
// Takes the code points drawn as boxes so far, at most 64.
[[nodiscard]] std::vector<ImWchar> take_missing_code_points(const ImFont* face);

}  // namespace dlscope::app
