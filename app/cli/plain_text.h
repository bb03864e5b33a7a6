// Text nobody vouches for, made fit for a terminal: control characters, bidirectional marks and broken UTF-8 escaped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlscope::app {

enum class Newlines { escape, keep };

[[nodiscard]] std::string plain_text(std::string_view text, Newlines newlines = Newlines::escape);

// How many columns a terminal needs; wide East Asian characters count twice, combining marks not at all.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most `columns` wide, the middle replaced by "..." when it has to be cut (names differ at both ends).
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t columns);

}  // namespace dlscope::app
