#include "app/models/text/fuzzy.h"

#include <algorithm>
#include <vector>

#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

constexpr int kFound = 100;       // the whole word was found
constexpr int kWordStart = 60;    // and it begins a word
constexpr int kTextStart = 40;    // and that is the first word
constexpr int kLetter = 4;        // it was found as an abbreviation: for each letter
constexpr int kLetterStart = 12;  // for each of these that begins a word
constexpr int kMaxForLength = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80; }
bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_word(lower(text[at - 1])) ||
         (text[at] >= 'A' && text[at] <= 'Z' && !(text[at - 1] >= 'A' && text[at - 1] <= 'Z')) ||
         (is_digit(text[at]) && !is_digit(text[at - 1]));
}
bool same_letter(char a, char b) { return lower(a) == lower(b); }

// The score of the best place that contains `word` as it is.
std::optional<int> together(std::string_view word, std::string_view text) {
  std::optional<int> best;
  auto from = text.begin();
  while (true) {
    const auto found = std::search(from, text.end(), word.begin(), word.end(), same_letter);
    if (found == text.end()) return best;
    const auto at = static_cast<std::size_t>(found - text.begin());
    const int score = kFound + (starts_word(text, at) ? kWordStart : 0) + (at == 0 ? kTextStart : 0);
    best = std::max(best.value_or(0), score);
    if (at == 0 || score >= kFound + kWordStart) return best;
    from = found + 1;
  }
}

bool has_letters_in_order(std::string_view word, std::string_view text) {
  std::size_t at = 0;
  for (const char letter : word) {
    while (at < text.size() && !same_letter(text[at], letter)) ++at;
    if (at++ == text.size()) return false;
  }
  return true;
}

// The best score of the word as an abbreviation: each letter begins a word of the text or follows the letter before it directly.
// Letters anywhere would find most words in most texts: "all" in "Export a tensor to a local file".
std::optional<int> abbreviated(std::string_view word, std::string_view text) {
  if (!has_letters_in_order(word, text)) return std::nullopt;
  constexpr int kNone = -1;
  std::vector<int> before, scores(text.size());  // of the letters so far, with the last one at each place
  for (std::size_t letter = 0; letter < word.size(); ++letter) {
    before.swap(scores);
    scores.assign(text.size(), kNone);
    int earlier = letter == 0 ? 0 : kNone;  // the best of all places before this one
    for (std::size_t at = 0; at < text.size(); ++at) {
      const int beside = letter > 0 && at > 0 ? before[at - 1] : kNone;
      earlier = std::max(earlier, beside);
      if (!same_letter(text[at], word[letter])) continue;
      if (starts_word(text, at) && earlier != kNone)
        scores[at] = earlier + kLetterStart;
      else if (beside != kNone)
        scores[at] = beside + kLetter;
    }
  }
  const int best = scores.empty() ? kNone : std::ranges::max(scores);
  return best == kNone ? std::nullopt : std::optional(best);
}

// Takes the next word of the pattern; empty: there is none.
std::string_view take_word(std::string_view& pattern) {
  pattern.remove_prefix(std::min(pattern.find_first_not_of(' '), pattern.size()));
  const std::string_view word = pattern.substr(0, pattern.find(' '));
  pattern.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text) {
  int total = 0;
  bool any = false;
  for (auto word = take_word(pattern); !word.empty(); word = take_word(pattern)) {
    auto score = together(word, text);
    if (!score) score = abbreviated(word, text);
    if (!score) return std::nullopt;
    total += *score;
    any = true;
  }
  if (any) total += kMaxForLength - static_cast<int>(std::min<std::size_t>(text.size(), kMaxForLength));
  return total;
}

bool contains_words(std::string_view pattern, std::string_view text) {
  for (auto word = take_word(pattern); !word.empty(); word = take_word(pattern)) {
    if (!together(word, text)) return false;
  }
  return true;
}

}  // namespace dlscope::app
