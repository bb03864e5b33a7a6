// Fuzzy matching, as in a command palette: every word of the pattern must occur in the text, as it is or as an abbreviation, in
// any case. An abbreviation's letters each begin a word or follow the letter before: "lw" and "lawe" stand for "layer.weight".
#pragma once

#include <optional>
#include <string_view>

namespace dlscope::app {

// The score, higher is better; nullopt: a word does not occur. "" matches everything with 0. Whole words and beginnings of words
// count more than abbreviations; of two equal matches the shorter text wins.
[[nodiscard]] std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);
// Whether the text contains every word of the pattern as it is, its letters together.
[[nodiscard]] bool contains_words(std::string_view pattern, std::string_view text);

}  // namespace dlscope::app
