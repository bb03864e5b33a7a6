// Fuzzy matching, as in a command palette: every word of the pattern is found in the text, in order of letters, in any case.
#pragma once

#include <optional>
#include <string_view>

namespace dlscope::app {

// Higher is better; nullopt: some word is not in it. "" matches everything with 0. Whole words and beginnings of words
// count more than letters picked from here and there; of two equal matches the shorter text wins.
[[nodiscard]] std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

}  // namespace dlscope::app
