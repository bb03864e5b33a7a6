#include "app/models/text/text_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <locale>
#include <optional>
#include <regex>

#include "app/models/text/format.h"
#include "app/models/text/text_file.h"
#include "app/models/text/utf8.h"

namespace dlscope::app {
namespace {

using Clock = std::chrono::steady_clock;

bool is_start(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
bool is_word(char c) {
  const auto b = static_cast<unsigned char>(c);
  return b >= 0x80 || b == '_' || (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::size_t points(std::string_view s) { return static_cast<std::size_t>(std::ranges::count_if(s, is_start)); }

// Code points; text that came through the editor is well formed.
std::wstring wide(std::string_view s) {
  std::wstring out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    std::uint32_t point = length == 1 ? c : c & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < s.size(); ++k)
      point = (point << 6) | (static_cast<unsigned char>(s[i + k]) & 0x3FU);
    out += static_cast<wchar_t>(point);
    i += length;
  }
  return out;
}

std::string narrow(std::wstring_view s) {
  std::string out;
  for (const wchar_t w : s) append_utf8(out, static_cast<char32_t>(w));
  return out;
}

// Knows letters beyond ASCII where the system has such a locale.
const std::locale& letters() {
  static const std::locale kLocale = [] {
    try {
      return std::locale("C.UTF-8");
    } catch (const std::exception&) {
      return std::locale::classic();
    }
  }();
  return kLocale;
}

// libstdc++'s matcher of polynomial time: its default one recurses per character and can take forever.
std::optional<std::wregex> compiled(const FindQuery& query, std::string& error) {
  auto flags = std::regex_constants::ECMAScript;
#ifdef __GLIBCXX__
  flags |= std::regex_constants::__polynomial;
#endif
  if (!query.match_case) flags |= std::regex_constants::icase;
  try {
    std::wregex out;
    out.imbue(letters());
    out.assign(wide(query.pattern), flags);
    return out;
  } catch (const std::regex_error& bad) {
    switch (bad.code()) {
      case std::regex_constants::error_paren:
        error = "A parenthesis is not closed.";
        break;
      case std::regex_constants::error_brack:
        error = "A bracket [ is not closed.";
        break;
      case std::regex_constants::error_escape:
        error = "A backslash stands before something it means nothing for.";
        break;
      case std::regex_constants::error_badrepeat:
        error = "*, + or ? stands where there is nothing to repeat.";
        break;
      case std::regex_constants::error_backref:
      case std::regex_constants::error_complexity:
        error = "Back references (\\1) cannot be searched for here.";
        break;
      case std::regex_constants::error_space:
        error = "The pattern is too large.";
        break;
      default:
        error = "The pattern cannot be understood.";
    }
  } catch (const std::exception&) {
    error = "The pattern cannot be understood.";
  }
  return std::nullopt;
}

// One search: what it looks for and what it may still do.
class Search {
 public:
  Search(const FindQuery& query, const std::stop_token& stop, const FindLimits& limits)
      : query_(query), stop_(stop), limits_(limits), until_(Clock::now() + limits.time) {
    if (query.regex) {
      regex_ = compiled(query, error_);
      return;
    }
    needle_ = query.pattern;
    if (!query.match_case) std::ranges::transform(needle_, needle_.begin(), lower);
  }
  [[nodiscard]] bool usable() const { return error_.empty() && !query_.pattern.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }

  // Calls found(first, last) in bytes for plain text, in code points of `wide` with a pattern. False: enough.
  template <class Found>
  bool plain(std::string_view line, Found&& found) {
    std::string_view hay = line;
    if (!query_.match_case) {
      folded_.assign(line);
      std::ranges::transform(folded_, folded_.begin(), lower);
      hay = folded_;
    }
    for (std::size_t at = hay.find(needle_); at != std::string_view::npos; at = hay.find(needle_, at)) {
      const std::size_t end = at + needle_.size();
      const bool whole = (at == 0 || !is_word(hay[at - 1]) || !is_word(hay[at])) &&
                         (end == hay.size() || !is_word(hay[end]) || !is_word(hay[end - 1]));
      if (query_.whole_word && !whole) {
        ++at;
        continue;
      }
      if (!found(at, end)) return false;
      at = end;
    }
    return true;
  }

  template <class Found>
  bool pattern(const std::wstring& line, Found&& found) {
    if (line.size() > limits_.pattern_line) {
      ++long_lines_;
      return true;
    }
    for (std::wsregex_iterator it(line.begin(), line.end(), *regex_), end; it != end; ++it) {
      const auto first = static_cast<std::size_t>(it->position());
      const std::size_t last = first + static_cast<std::size_t>(it->length());
      if (last == first) continue;
      const auto word = [&](std::size_t at) {
        const auto c = static_cast<std::uint32_t>(line[at]);
        return c >= 0x80 || is_word(static_cast<char>(c));
      };
      const bool whole =
          (first == 0 || !word(first - 1) || !word(first)) && (last == line.size() || !word(last) || !word(last - 1));
      if (query_.whole_word && !whole) continue;
      if (!found(*it, first, last)) return false;
    }
    return true;
  }

  // Between lines: may it go on?
  bool go_on(std::size_t matches) {
    if (stop_.stop_requested()) return false;
    if (matches > limits_.matches) return false;
    if ((++lines_ & 0x3F) == 0 && Clock::now() > until_) {
      ended_ = "the rest took too long to search";
      return false;
    }
    return true;
  }
  [[nodiscard]] std::string left_out(std::size_t matches) const {
    if (matches > limits_.matches) return fmt::format("the first {} only", grouped(limits_.matches));
    if (!ended_.empty()) return ended_;
    if (long_lines_ == 0) return {};
    return fmt::format("{} too long for a pattern", counted(long_lines_, "line is", "lines are"));
  }

 private:
  const FindQuery& query_;
  const std::stop_token& stop_;
  const FindLimits& limits_;
  Clock::time_point until_;
  std::optional<std::wregex> regex_;
  std::string needle_, folded_, error_, ended_;
  std::size_t long_lines_ = 0, lines_ = 0;
};

}  // namespace

FindResult find_all(std::string_view text, const FindQuery& query, const std::stop_token& stop, const FindLimits& limits) {
  FindResult out;
  Search search(query, stop, limits);
  out.error = search.error();
  if (!search.usable()) return out;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    if (!search.go_on(out.matches.size())) break;
    if (query.regex) {
      search.pattern(wide(line), [&](const std::wsmatch&, std::size_t first, std::size_t last) {
        out.matches.push_back({number, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
        return out.matches.size() <= limits.matches;
      });
    } else {
      std::size_t counted_to = 0, column = 0;
      search.plain(line, [&](std::size_t first, std::size_t last) {
        column += points(line.substr(counted_to, first - counted_to));
        const std::size_t width = points(line.substr(first, last - first));
        out.matches.push_back({number, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(column + width)});
        column += width;
        counted_to = last;
        return out.matches.size() <= limits.matches;
      });
    }
    ++number;
  }
  out.left_out = search.left_out(out.matches.size());
  if (out.matches.size() > limits.matches) out.matches.pop_back();
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
  const std::wstring text = wide(line), with = wide(replacement);
  search.pattern(text, [&](const std::wsmatch& found, std::size_t first, std::size_t) {
    if (first != match.first) return first < match.first;
    out = narrow(found.format(with));
    return false;
  });
  return out;
}

ReplacePlan replace_all(std::string_view text, const FindQuery& query, const std::string& replacement,
                        const std::stop_token& stop, const FindLimits& limits) {
  ReplacePlan out;
  Search search(query, stop, limits);
  out.error = search.error();
  if (!search.usable()) return out;
  const std::wstring with = wide(replacement);
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    if (!search.go_on(out.count)) break;
    const std::size_t before = out.count;
    std::string changed;
    if (query.regex) {
      const std::wstring source = wide(line);
      std::wstring result;
      std::size_t done = 0;
      search.pattern(source, [&](const std::wsmatch& found, std::size_t first, std::size_t last) {
        result.append(source, done, first - done);
        result += found.format(with);
        done = last;
        return ++out.count <= limits.matches;
      });
      if (out.count > before) changed = narrow(result.append(source, done));
    } else {
      std::size_t done = 0;
      search.plain(line, [&](std::size_t first, std::size_t last) {
        changed.append(line.substr(done, first - done)).append(replacement);
        done = last;
        return ++out.count <= limits.matches;
      });
      if (out.count > before) changed.append(line.substr(done));
    }
    if (out.count > before) out.lines.emplace_back(number, std::move(changed));
    ++number;
  }
  out.left_out = search.left_out(out.count);
  return out;
}

}  // namespace dlscope::app
