#include "app/models/script/argument_text.h"

#include <optional>

namespace dlscope::app {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

}  // namespace

core::Result<std::vector<std::string>> split_arguments(std::string_view text) {
  std::vector<std::string> out;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && is_blank(c)) {
      if (word) out.push_back(std::move(*word));
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size())
      *word += text[++i];
    else
      *word += c;
  }
  if (quote != 0)
    return core::fail(core::ErrorKind::invalid,
                      std::string("a quote ") + quote + " is not closed in the arguments: " + std::string(text));
  if (word) out.push_back(std::move(*word));
  return out;
}

std::string join_arguments(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) {
    if (!out.empty()) out += ' ';
    bool plain = !argument.empty();
    for (const char c : argument) plain = plain && is_plain(c);
    if (plain) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) {
      if (c == '\'')
        out += "'\\''";
      else
        out += c;
    }
    out += '\'';
  }
  return out;
}

}  // namespace dlscope::app
