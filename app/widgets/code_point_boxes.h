// What no font has: a box with the number of the code point in hexadecimal, and nothing for marks that only join or direct others.
// The last source of every face (fonts.h). Remembers what it was asked for, so that a font for it can be looked for.
#pragma once

#include <imgui.h>

#include <vector>

namespace dlscope::app {

// Behind the fonts of `face`. Where the face has such boxes already, these take their place: fonts were added since.
void add_code_point_boxes(ImFont* face);
// The code points drawn as boxes so far, at most 64, and forgets them.
[[nodiscard]] std::vector<ImWchar> take_missing_code_points(const ImFont* face);

}  // namespace dlscope::app
