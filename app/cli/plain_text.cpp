#include "app/cli/plain_text.h"

#include <fmt/core.h>

#include "core/base/utf8.h"

namespace dlscope::app {

namespace {

bool unfit(char32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool direction =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f;
  return control || direction || code == 0x2028 || code == 0x2029;
}

std::size_t width_of(char32_t code) {
  if ((code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200d) || (code >= 0xfe00 && code <= 0xfe0f)) return 0;
  const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                    (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

// The longest prefix (or, from the back, suffix) of whole characters that is no wider than `columns`.
std::string_view prefix(std::string_view text, std::size_t columns) {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    const core::Utf8Char c = core::decode_utf8(text.substr(end));
    used += width_of(c.code);
    if (used > columns) break;
    end += c.bytes;
  }
  return text.substr(0, end);
}

std::string_view suffix(std::string_view text, std::size_t columns) {
  std::size_t width = columns_of(text);
  while (width > columns && !text.empty()) {
    const core::Utf8Char c = core::decode_utf8(text);
    width -= width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return text;
}

}  // namespace

std::string plain_text(std::string_view text, Newlines newlines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const core::Utf8Char c = core::decode_utf8(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    const bool layout = newlines == Newlines::keep && (c.code == '\n' || c.code == '\t');
    if (!c.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (layout || !unfit(c.code)) {
      out += bytes;
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\t') {
      out += "\\t";
    } else {
      const auto code = static_cast<std::uint32_t>(c.code);
      out += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const core::Utf8Char c = core::decode_utf8(text);
    columns += width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string cut_middle(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string{text};
  if (columns <= 3) return std::string{prefix(text, columns)};
  const std::size_t front = (columns - 3 + 1) / 2, back = columns - 3 - front;
  return fmt::format("{}...{}", prefix(text, front), suffix(text, back));
}

}  // namespace dlscope::app
