#include "core/base/utf8_text.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/utf8.h"

namespace dlscope::core {

TEST_CASE("every code point is written as it is decoded", "[core][base]") {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;  // surrogates are no characters
    std::string text;
    append_utf8(text, code);
    const Utf8Char c = decode_utf8(text);
    if (c.valid && c.code == code && c.bytes == text.size()) continue;
    FAIL("code point " << static_cast<unsigned long>(code));
  }
}

TEST_CASE("repaired text is valid, and valid text stays as it is", "[core][base]") {
  CHECK(repaired_utf8("").empty());
  CHECK(repaired_utf8("a ü €") == "a ü €");
  CHECK(repaired_utf8("\xff" "a\xc3") == "\uFFFDa\uFFFD");
  CHECK(repaired_utf8("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string once = repaired_utf8(std::string{static_cast<char>(first), static_cast<char>(second), 'x'});
      if (repaired_utf8(once) != once) FAIL(first << " " << second);
    }
  }
}

TEST_CASE("only ASCII letters are lowered", "[core][base]") {
  CHECK(lowered("AbZ[ÄÜ0") == "abz[ÄÜ0");
  for (int c = 0; c < 256; ++c) {
    const char is = static_cast<char>(c), out = lower(is);
    const bool upper = c >= 'A' && c <= 'Z';
    CHECK(out == static_cast<char>(upper ? c + 32 : c));
  }
}

}  // namespace dlscope::core
