// Text from outside (names, exception messages) made safe to draw, print and store.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dlscope::core {

enum class LineBreaks { escape, keep };  // keep: newline and tab stay as they are

// Appends `text` to `out` as valid UTF-8. Control characters become \n, \t, \x1b ...; bytes that are no UTF-8 \xff;
// characters that turn the writing direction or break lines unseen \u202e. What would exceed `cap` bytes is cut at a
// character, marked with an ellipsis. Returns the bytes appended (<= cap).
std::size_t append_sanitised(std::vector<char>& out, std::string_view text, std::size_t cap, LineBreaks breaks);

// Whether `text` could be what append_sanitised() leaves with LineBreaks::keep: valid, and nothing in it that it would escape.
[[nodiscard]] bool is_sanitised(std::string_view text);

}  // namespace dlscope::core
