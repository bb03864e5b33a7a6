// Makes untrusted text safe for a terminal: escapes control characters, bidirectional marks and broken UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlscope::app {

enum class Newlines { escape, keep };

[[nodiscard]] std::string plain_text(std::string_view text, Newlines newlines = Newlines::escape);

// Width in terminal columns: wide East Asian characters count twice, combining marks not at all.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most `columns` wide; the middle of a longer text is replaced by "...", because names differ at both ends.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t columns);

}  // namespace dlscope::app
