// Makes untrusted text (names, exception messages) safe to draw, print and store. thread: any.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dlscope::core {

enum class LineBreaks { escape, keep };  // keep: newline and tab are not escaped

// Appends `text` to `out` as valid UTF-8, with escapes: control characters as \n, \t, \x1b; bytes that are not UTF-8 as \xff;
// characters that change the writing direction or are invisible line breaks as \u202e. Text beyond `cap` bytes is cut between two
// characters and an ellipsis appended. Returns the number of bytes appended (<= cap).
std::size_t append_sanitised(std::vector<char>& out, std::string_view text, std::size_t cap, LineBreaks breaks);

// Whether `text` could be a result of append_sanitised() with LineBreaks::keep: valid UTF-8 without anything to escape.
[[nodiscard]] bool is_sanitised(std::string_view text);

}  // namespace dlscope::core
