#include "core/inventory/python_name.h"

namespace dlscope::core {
namespace {

constexpr std::string_view kCut = "…";  // the end of a name that was too long

// Bytes of other scripts count as letters.
bool begins_word(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool in_word(char c) { return begins_word(c) || ('0' <= c && c <= '9'); }

// Past the word that begins at `at`; `at`: none does.
std::size_t end_of_word(std::string_view name, std::size_t at) {
  if (at >= name.size() || !begins_word(name[at])) return at;
  while (at < name.size() && in_word(name[at])) ++at;
  return at;
}

// Past the bracket that closes the one at `at`; npos: none does, or the key between them is no expression, as in d[<Point 0>].
std::size_t end_of_key(std::string_view name, std::size_t at) {
  int depth = 0;
  char quote = '\0';
  for (; at < name.size(); ++at) {
    const char c = name[at];
    if (quote != '\0') {
      if (c == '\\')
        ++at;
      else if (c == quote)
        quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '<') {
      break;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if ((c == ']' || c == ')') && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// Past the "(3)" at `at`, as in table.column(3); `at`: there is none.
std::size_t end_of_numbered_call(std::string_view name, std::size_t at) {
  if (at >= name.size() || name[at] != '(') return at;
  std::size_t end = at + 1;
  while (end < name.size() && '0' <= name[end] && name[end] <= '9') ++end;
  return end > at + 1 && end < name.size() && name[end] == ')' ? end + 1 : at;
}

}  // namespace

bool is_python_expression(std::string_view name) {
  std::size_t at = end_of_word(name, 0);
  if (at == 0 || name.ends_with(kCut)) return false;
  while (at < name.size()) {
    if (name[at] == '[') {
      at = end_of_key(name, at);
      if (at == std::string_view::npos) return false;
    } else if (name[at] == '.') {
      const std::size_t word = at + 1;
      at = end_of_word(name, word);
      if (at == word) return false;
      at = end_of_numbered_call(name, at);
    } else if (name.substr(at).starts_with("()")) {
      at += 2;
      // What follows here is a local of a frame. A method that only shows a part is last, or a key follows: t.indices(),
      // opt.state_dict()['state'].
      if (at < name.size() && name[at] != '[') return false;
    } else {
      return false;
    }
  }
  return true;
}

std::string_view expression_name(const Snapshot& snapshot, const TensorRecord& tensor) {
  for (const TextRef name : Snapshot::slice(snapshot.names, tensor.names)) {
    if (is_python_expression(snapshot.str(name))) return snapshot.str(name);
  }
  return {};
}

}  // namespace dlscope::core
