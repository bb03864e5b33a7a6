#include "app/models/text/python_text.h"

#include <algorithm>
#include <array>

#include "app/models/text/characters.h"
#include "app/models/text/text_file.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);
constexpr std::size_t kLinesToJudgeBy = 2'000;

// One physical line after lexing.
struct Line {
  bool in_string = false;  // begins inside a string
  bool continued = false;  // begins inside a string or bracket, or after a backslash
  bool blank = false;      // nothing but space or a comment, and not continued
  std::size_t indent = 0;  // columns
  std::string_view word;   // the first word
  char last_code = 0;      // last character that is neither space nor comment
};

struct Lexed {
  std::vector<Line> lines;
  bool open = false;  // ends inside a string or bracket, or after a backslash
};

std::size_t indent_bytes(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t\f");
  return at == std::string_view::npos ? line.size() : at;
}

std::size_t columns_of(std::string_view space) {
  std::size_t columns = 0;
  for (const char c : space) columns = c == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
  return columns;
}

class Lexer {
 public:
  Lexed lex(std::string_view text) {
    Lexed out;
    for (const std::string_view line : lines_of(text)) out.lines.push_back(next(line));
    out.open = quote_ != 0 || depth_ > 0 || backslash_;
    return out;
  }

 private:
  Line next(std::string_view text) {
    Line line;
    line.in_string = quote_ != 0;
    line.continued = line.in_string || depth_ > 0 || backslash_;
    const std::size_t start = indent_bytes(text);
    line.indent = columns_of(text.substr(0, start));
    line.blank = !line.continued && (start == text.size() || text[start] == '#');
    std::size_t end = start;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    line.word = text.substr(start, end - start);
    if (end == start && start < text.size() && text[start] == '@') line.word = text.substr(start, 1);
    backslash_ = false;
    scan(text, line);
    return line;
  }

  void scan(std::string_view text, Line& line) {
    for (std::size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (quote_ != 0) {
        i = in_string(text, i);
        line.last_code = '"';
        continue;
      }
      if (c == '#') break;
      if (c == '\\' && i + 1 == text.size()) {
        backslash_ = true;
        break;
      }
      if (c == '"' || c == '\'') {
        triple_ = text.substr(i, 3) == std::string(3, c);
        quote_ = c;
        i += triple_ ? 3 : 1;
        line.last_code = c;
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
      if (c != ' ' && c != '\t' && c != '\f') line.last_code = c;
      ++i;
    }
    // A string with single-character quotes ends with its line, unless a backslash continues it.
    if (quote_ != 0 && !triple_) {
      if (text.ends_with('\\')) return;
      quote_ = 0;
    }
  }

  std::size_t in_string(std::string_view text, std::size_t i) {
    if (text[i] == '\\') return i + 2;
    if (text[i] != quote_) return i + 1;
    if (!triple_) {
      quote_ = 0;
      return i + 1;
    }
    if (text.substr(i, 3) != std::string(3, quote_)) return i + 1;
    quote_ = 0;
    return i + 3;
  }

  char quote_ = 0;
  bool triple_ = false, backslash_ = false;
  int depth_ = 0;
};

struct Statement {
  std::size_t first = 0, last = 0, indent = 0;
  std::string_view word;
  char last_code = 0;
  [[nodiscard]] bool is_clause() const { return word == "else" || word == "elif" || word == "except" || word == "finally"; }
  [[nodiscard]] bool is_compound() const {
    constexpr std::array<std::string_view, 9> kWords{"if", "for", "while", "with", "try", "def", "class", "async", "match"};
    return last_code == ':' || (is_clause()) || (word != "match" && std::ranges::find(kWords, word) != kWords.end());
  }
};

// The logical lines, without blank ones.
std::vector<Statement> statements_of(const Lexed& lexed) {
  std::vector<Statement> out;
  for (std::size_t i = 0; i < lexed.lines.size(); ++i) {
    const Line& line = lexed.lines[i];
    if (line.blank) continue;
    if (line.continued && !out.empty() && out.back().last + 1 == i) {
      out.back().last = i;
      if (line.last_code != 0) out.back().last_code = line.last_code;
      continue;
    }
    out.push_back({i, i, line.indent, line.word, line.last_code});
  }
  return out;
}

// The statement that a clause (else, except ...) belongs to.
std::size_t owner_of(const std::vector<Statement>& all, std::size_t at) {
  const std::size_t indent = all[at].indent;
  for (std::size_t i = at; i-- > 0;) {
    if (all[i].indent < indent) break;
    if (all[i].indent == indent && !all[i].is_clause()) return i;
  }
  return at;
}

std::size_t last_of_block(const std::vector<Statement>& all, std::size_t at) {
  const std::size_t indent = all[at].indent;
  std::size_t end = at;
  while (end + 1 < all.size()) {
    const Statement& next = all[end + 1];
    if (next.indent <= indent && !(next.indent == indent && next.is_clause())) break;
    ++end;
  }
  return end;
}

bool starts_with_word(std::string_view text, std::initializer_list<std::string_view> message) {
  return std::ranges::any_of(message, [&](std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || !is_word_byte(text[word.size()]));
  });
}

}  // namespace

std::optional<LineRange> statement_at(std::string_view text, std::size_t line) {
  const Lexed lexed = Lexer().lex(text);
  const std::vector<Statement> all = statements_of(lexed);
  const auto found = std::ranges::find_if(all, [line](const Statement& s) { return s.first <= line && line <= s.last; });
  if (found == all.end()) return std::nullopt;
  auto at = static_cast<std::size_t>(found - all.begin());
  if (all[at].is_clause()) at = owner_of(all, at);
  std::size_t head = at;
  while (all[head].word == "@" && head + 1 < all.size() && all[head + 1].indent == all[head].indent) ++head;
  while (at > 0 && all[at - 1].word == "@" && all[at - 1].indent == all[at].indent) --at;
  const bool whole = all[head].is_compound();
  return LineRange{all[at].first, all[whole ? last_of_block(all, head) : head].last};
}

std::string dedented(std::string_view part) {
  const Lexed lexed = Lexer().lex(part);
  const auto lines = lines_of(part);
  std::string_view margin;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lexed.lines[i].blank) continue;
    margin = lines[i].substr(0, indent_bytes(lines[i]));
    break;
  }
  std::string out;
  out.reserve(part.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t strip = 0;
    if (!lexed.lines[i].in_string)
      while (strip < margin.size() && strip < lines[i].size() && lines[i][strip] == margin[strip]) ++strip;
    if (i > 0) out += '\n';
    out += lines[i].substr(strip);
  }
  return out;
}

RunPart part_of_lines(std::string_view text, LineRange range) {
  const auto lines = lines_of(text);
  if (range.first >= lines.size()) return {};
  const std::string_view last = lines[std::min(range.last, lines.size() - 1)];
  const char* from = lines[range.first].data();
  return {dedented({from, static_cast<std::size_t>(last.data() + last.size() - from)}), range.first};
}

Completeness judge_complete(std::string_view text) {
  const Lexed lexed = Lexer().lex(text);
  if (lexed.open) return Completeness::incomplete;
  const std::vector<Statement> all = statements_of(lexed);
  if (all.empty()) return Completeness::complete;
  if (all.back().last_code == ':' || all.back().word == "@") return Completeness::incomplete;
  // A block is ended by an empty line.
  const bool block = all.back().indent > 0 || all.back().is_compound();
  const bool ended = lexed.lines.size() > 1 && lines_of(text).back().find_first_not_of(" \t") == std::string_view::npos;
  return block && !ended ? Completeness::incomplete : Completeness::complete;
}

std::string toggled_comment(std::string_view text) {
  const auto lines = lines_of(text);
  bool all_commented = true, any = false;
  std::size_t margin = kNoLine;
  for (const std::string_view line : lines) {
    const std::size_t start = indent_bytes(line);
    if (start == line.size()) continue;
    any = true;
    margin = std::min(margin, start);
    all_commented = all_commented && line[start] == '#';
  }
  if (!any) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (i > 0) out += '\n';
    const std::size_t start = indent_bytes(line);
    if (start == line.size()) {
      out += line;
    } else if (all_commented) {
      const std::string_view rest = line.substr(start + 1);
      out.append(line.substr(0, start)).append(rest.starts_with(' ') ? rest.substr(1) : rest);
    } else {
      out.append(line.substr(0, margin)).append("# ").append(line.substr(margin));
    }
  }
  return out;
}

std::string next_indent(std::string_view before, std::string_view unit) {
  std::string indent(before.substr(0, indent_bytes(before)));
  const std::string_view code = before.substr(indent.size());
  const Lexed lexed = Lexer().lex(code);
  const char last = lexed.lines.front().last_code;
  if (last == ':' || (lexed.open && (last == '(' || last == '[' || last == '{'))) {
    indent += unit;
  } else if (starts_with_word(code, {"return", "pass", "break", "continue", "raise"}) && !lexed.open && indent.ends_with(unit)) {
    indent.resize(indent.size() - unit.size());
  }
  return indent;
}

std::string indent_unit(std::string_view text) {
  std::size_t before = 0, seen = 0;
  for (std::size_t at = 0; at < text.size() && seen < kLinesToJudgeBy; ++seen) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t indent = indent_bytes(line);
    if (indent == line.size()) continue;
    if (line[0] == '\t') return "\t";
    if (indent > before && indent - before >= 2 && indent - before <= 8) return std::string(indent - before, ' ');
    before = indent;
  }
  return "    ";
}

}  // namespace dlscope::app
