#include "core/files/python_text.h"

#include <charconv>
#include <cstdint>

#include "core/base/utf8_text.h"

namespace dlscope::core {
namespace {

// Takes as many hexadecimal digits as stand behind \x, \u and \U, and appends the character.
bool take_numbered(std::string_view& rest, std::size_t digits, std::string& out) {
  std::uint32_t code = 0;
  if (rest.size() < digits) return false;
  const char* const end = rest.data() + digits;
  const auto parsed = std::from_chars(rest.data(), end, code, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != end || code > 0x10ffff) return false;
  append_utf8(out, 0xd800 <= code && code < 0xe000 ? 0xfffd : code);  // half of a pair is no character
  rest.remove_prefix(digits);
  return true;
}

// The escape behind a backslash.
bool take_escape(std::string_view& rest, std::string& out) {
  if (rest.empty()) return false;
  const char letter = rest.front();
  rest.remove_prefix(1);
  switch (letter) {
    case '\\':
    case '\'':
    case '"':
      out += letter;
      return true;
    case 'n':
      out += '\n';
      return true;
    case 'r':
      out += '\r';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'x':
      return take_numbered(rest, 2, out);
    case 'u':
      return take_numbered(rest, 4, out);
    case 'U':
      return take_numbered(rest, 8, out);
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> take_python_text(std::string_view& rest) {
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return std::nullopt;
  const char quote = rest.front();
  std::string_view left = rest.substr(1);
  std::string out;
  while (!left.empty()) {
    const char c = left.front();
    left.remove_prefix(1);
    if (c == quote) {
      rest = left;
      return out;
    }
    if (c != '\\')
      out += c;
    else if (!take_escape(left, out))
      return std::nullopt;
  }
  return std::nullopt;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

}  // namespace dlscope::core
