// Writing and repairing UTF-8, and lower-casing. For decoding see core/base/utf8.h. All other code uses these.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::core {

// c: must be a code point below 0x110000; it is not checked.
void append_utf8(std::string& out, char32_t c);

// The text with U+FFFD in place of each byte that begins no valid character.
[[nodiscard]] std::string repaired_utf8(std::string_view text);

// Of ASCII letters; all other bytes stay as they are.
[[nodiscard]] constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] std::string lowered(std::string_view text);

}  // namespace dlscope::core
