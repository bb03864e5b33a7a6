// Classifies bytes of UTF-8 text: start of a character, part of a word, capital letter. All non-ASCII letters count as parts of
// words without upper case. For decoding see core/base/utf8.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/utf8_text.h"

namespace dlscope::app {

[[nodiscard]] constexpr bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

[[nodiscard]] constexpr std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

[[nodiscard]] constexpr bool is_word_byte(char c) {
  const auto b = static_cast<unsigned char>(c);
  return b >= 0x80 || b == '_' || (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
}

using core::lower;
using core::lowered;

}  // namespace dlscope::app
