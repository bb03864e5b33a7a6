#include "app/models/text/text_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "app/models/text/pattern.h"
#include "app/models/text/text_file.h"

namespace dlscope::app {
namespace {

using Clock = std::chrono::steady_clock;

// One search with its limits.
class Search {
 public:
  Search(const FindQuery& query, const std::stop_token& stop, const FindLimits& limits)
      : query_(query), stop_(stop), limits_(limits), until_(Clock::now() + limits.time) {
    if (!query.regex) {
      needle_ = query.match_case ? query.pattern : lowered(query.pattern);
    } else if (auto pattern = Pattern::compile(query.pattern, query.match_case)) {
      pattern_ = std::move(*pattern);
    } else {
      error_ = pattern.error().message;
    }
  }
  [[nodiscard]] bool usable() const { return error_.empty() && !query_.pattern.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  // Calls found(first, last), in bytes, for each match of the line, up to the limit.
  template <class Found>
  void in_line(std::string_view line, Found&& found) {
    if (query_.regex)
      with_pattern(line, found);
    else
      plain(line, found);
  }

  // The replacement of a match; to be called within found().
  [[nodiscard]] std::string replaced(std::string_view line, const std::string& with) const {
    return pattern_ ? pattern_->expanded(line, with) : with;
  }

  // Called between lines; false: a limit was reached.
  bool go_on() {
    if (more_ || stop_.stop_requested()) return false;
    if ((++lines_ & 0x3F) == 0 && Clock::now() > until_) {
      ended_ = "the rest took too long to search";
      return false;
    }
    return true;
  }
  [[nodiscard]] std::string left_out() const {
    if (more_) return fmt::format("the first {} only", grouped(limits_.matches));
    if (!ended_.empty()) return ended_;
    if (skipped_ == 0) return {};
    return fmt::format("{} too long or too hard for this pattern", counted(skipped_, "line is", "lines are"));
  }

 private:
  // False: enough matches.
  template <class Found>
  bool take(std::string_view line, std::size_t first, std::size_t last, Found& found) {
    if (query_.whole_word && !is_whole_word(line, first, last)) return true;
    if (count_ == limits_.matches) {
      more_ = true;
      return false;
    }
    ++count_;
    found(first, last);
    return true;
  }

  template <class Found>
  void plain(std::string_view line, Found& found) {
    std::string_view hay = line;
    if (!query_.match_case) hay = folded_ = lowered(line);
    for (std::size_t at = hay.find(needle_); at != std::string_view::npos; at = hay.find(needle_, at)) {
      const std::size_t end = at + needle_.size(), before = count_;
      if (!take(line, at, end, found)) return;
      at = count_ > before ? end : at + 1;
    }
  }

  template <class Found>
  void with_pattern(std::string_view line, Found& found) {
    if (line.size() > limits_.pattern_line) {
      ++skipped_;
      return;
    }
    for (std::size_t from = 0;;) {
      const Pattern::Found answer = pattern_->find(line, from);
      if (answer == Pattern::Found::too_hard || answer == Pattern::Found::not_utf8) ++skipped_;
      if (answer != Pattern::Found::yes) return;
      const auto all = pattern_->group(0);
      if (!all || all->last <= from || !take(line, all->first, all->last, found)) return;
      from = all->last;
    }
  }

  static bool is_whole_word(std::string_view line, std::size_t first, std::size_t last) {
    return (first == 0 || !is_word_byte(line[first - 1]) || !is_word_byte(line[first])) &&
           (last == line.size() || !is_word_byte(line[last]) || !is_word_byte(line[last - 1]));
  }

  const FindQuery& query_;
  const std::stop_token& stop_;
  const FindLimits& limits_;
  Clock::time_point until_;
  std::optional<Pattern> pattern_;
  std::string needle_, folded_, error_, ended_;
  std::size_t count_ = 0, skipped_ = 0, lines_ = 0;
  bool more_ = false;  // there are more matches than the limit
};

// Converts byte positions of a line to code points, counting on from one match to the next.
class Columns {
 public:
  explicit Columns(std::string_view line) : line_(line) {}
  // byte: must not decrease from call to call.
  std::uint32_t of(std::size_t byte) {
    column_ += count_characters(line_.substr(byte_, byte - byte_));
    byte_ = byte;
    return static_cast<std::uint32_t>(column_);
  }

 private:
  std::string_view line_;
  std::size_t byte_ = 0, column_ = 0;
};

}  // namespace

FindResult find_all(std::string_view text, const FindQuery& query, const std::stop_token& stop, const FindLimits& limits) {
  FindResult out;
  Search search(query, stop, limits);
  out.error = search.error();
  if (!search.usable()) return out;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    if (!search.go_on()) break;
    Columns columns(line);
    search.in_line(line, [&](std::size_t first, std::size_t last) {
      const std::uint32_t from = columns.of(first);
      out.matches.push_back({number, from, columns.of(last)});
    });
    ++number;
  }
  out.left_out = search.left_out();
  return out;
}

std::size_t match_from(const std::vector<TextMatch>& matches, std::uint32_t line, std::uint32_t column) {
  const auto found = std::ranges::lower_bound(matches, TextMatch{line, column, 0});
  return found == matches.end() ? 0 : static_cast<std::size_t>(found - matches.begin());
}

std::size_t match_before(const std::vector<TextMatch>& matches, std::uint32_t line, std::uint32_t column) {
  const auto found = std::ranges::lower_bound(matches, TextMatch{line, column, 0});
  if (found == matches.begin()) return matches.empty() ? 0 : matches.size() - 1;
  return static_cast<std::size_t>(found - matches.begin()) - 1;
}

std::string replacement_for(std::string_view line, const TextMatch& match, const FindQuery& query,
                            const std::string& replacement) {
  if (!query.regex) return replacement;
  const std::stop_token never;
  const FindLimits limits;
  Search search(query, never, limits);
  if (!search.usable()) return replacement;
  std::string out = replacement;
  Columns columns(line);
  search.in_line(line, [&](std::size_t first, std::size_t) {
    if (columns.of(first) == match.first) out = search.replaced(line, replacement);
  });
  return out;
}

ReplacePlan replace_all(std::string_view text, const FindQuery& query, const std::string& replacement,
                        const std::stop_token& stop, const FindLimits& limits) {
  ReplacePlan out;
  Search search(query, stop, limits);
  out.error = search.error();
  if (!search.usable()) return out;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    if (!search.go_on()) break;
    const std::size_t before = search.count();
    std::string changed;
    std::size_t done = 0;
    search.in_line(line, [&](std::size_t first, std::size_t last) {
      changed.append(line.substr(done, first - done)).append(search.replaced(line, replacement));
      done = last;
    });
    if (search.count() > before) out.lines.emplace_back(number, changed.append(line.substr(done)));
    ++number;
  }
  out.count = search.count();
  out.left_out = search.left_out();
  return out;
}

}  // namespace dlscope::app
