// Decoding UTF-8 one character at a time, from untrusted text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dlscope::core {

struct Utf8Char {
  char32_t code = 0;
  std::size_t bytes = 1;  // length; 1 for a byte that starts no valid character, so that the caller can skip it
  bool valid = false;     // false also for overlong forms, surrogates and numbers beyond U+10FFFF
};

// The first character of `text`, which is not empty.
[[nodiscard]] constexpr Utf8Char decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf5 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes, true};
}

// The longest prefix of at most `cap` bytes that does not split a character.
[[nodiscard]] constexpr std::string_view utf8_prefix(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return text;
  std::size_t end = cap;
  while (end > 0 && cap - end < 4 && (static_cast<std::uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace dlscope::core
