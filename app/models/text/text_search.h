// Find and replace in a text, with limits on the number of matches, on line length for a pattern, and on time. Positions are in
// code points, as in the editor.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscope::app {

struct FindQuery {
  std::string pattern;
  bool match_case = false, whole_word = false, regex = false;
  friend bool operator==(const FindQuery&, const FindQuery&) = default;
};

struct TextMatch {
  std::uint32_t line = 0, first = 0, last = 0;  // code points [first, last) of the line
  friend auto operator<=>(const TextMatch&, const TextMatch&) = default;
};

struct FindLimits {
  std::size_t matches = 100'000;
  std::size_t pattern_line = 1u << 20;  // bytes; a pattern is not searched in longer lines
  std::chrono::milliseconds time{4'000};
};

struct FindResult {
  std::vector<TextMatch> matches;  // in order
  std::string error;               // why the pattern cannot be used; "": it can
  std::string left_out;            // what was not searched, as text; "": nothing
};

[[nodiscard]] FindResult find_all(std::string_view text, const FindQuery& query, const std::stop_token& stop = {},
                                  const FindLimits& limits = {});

// The match at or after a position, or the last one before it; wraps around. matches.size(): there is none.
[[nodiscard]] std::size_t match_from(const std::vector<TextMatch>& matches, std::uint32_t line, std::uint32_t column);
[[nodiscard]] std::size_t match_before(const std::vector<TextMatch>& matches, std::uint32_t line, std::uint32_t column);

// The replacement of one match; for a pattern $1 to $9 and $& stand for parts of the match, $$ for a dollar.
[[nodiscard]] std::string replacement_for(std::string_view line, const TextMatch& match, const FindQuery& query,
                                          const std::string& replacement);

struct ReplacePlan {
  std::vector<std::pair<std::uint32_t, std::string>> lines;  // changed lines, in order
  std::size_t count = 0;                                     // matches replaced
  std::string error, left_out;
};
[[nodiscard]] ReplacePlan replace_all(std::string_view text, const FindQuery& query, const std::string& replacement,
                                      const std::stop_token& stop = {}, const FindLimits& limits = {});

}  // namespace dlscope::app
