#include "core/inventory/sanitise.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "core/base/utf8.h"

namespace dlscope::core {
namespace {

std::string sanitised(std::string_view text, std::size_t cap = 4096, LineBreaks breaks = LineBreaks::escape) {
  std::vector<char> out{'='};
  const std::size_t added = append_sanitised(out, text, cap, breaks);
  CHECK(out.size() == added + 1);
  return {out.begin() + 1, out.end()};
}

TEST_CASE("plain text stays as it is", "[core][inventory]") {
  CHECK(sanitised("") == "");
  CHECK(sanitised("model.layer[0].weight") == "model.layer[0].weight");
  CHECK(sanitised("d['Grüße'] \U0001f600 日本") == "d['Grüße'] \U0001f600 日本");
}

TEST_CASE("control characters are escaped wherever they stand", "[core][inventory]") {
  for (const int c : {0x00, 0x01, 0x1b, 0x1f, 0x7f}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'a');
      text[at] = static_cast<char>(c);
      const std::string out = sanitised(text);
      CHECK(out.size() == 23);
      CHECK(out.substr(at, 2) == "\\x");
    }
  }
  CHECK(sanitised("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(sanitised("\x1b[2J") == "\\x1b[2J");
  CHECK(sanitised("\u009b") == "\\x9b");
}

TEST_CASE("line breaks and tabs stay in messages, carriage returns do not", "[core][inventory]") {
  CHECK(sanitised("a\n\tb\rc", 4096, LineBreaks::keep) == "a\n\tb\\rc");
}

TEST_CASE("characters that reorder text are escaped", "[core][inventory]") {
  CHECK(sanitised("\u202e\u2066\u200f\u2028\ufeff") == "\\u202e\\u2066\\u200f\\u2028\\ufeff");
}

TEST_CASE("bytes that are no UTF-8 are escaped one by one", "[core][inventory]") {
  CHECK(sanitised("a\xff"
                  "b") == "a\\xffb");
  CHECK(sanitised("\xc3") == "\\xc3");
  CHECK(sanitised("\xe2\x82"
                  "x") == "\\xe2\\x82x");
  CHECK(sanitised("\xed\xa0\x80") == "\\xed\\xa0\\x80");
}

TEST_CASE("what is too long is cut between characters and marked", "[core][inventory]") {
  CHECK(sanitised("abcdefgh", 8) == "abcdefgh");
  CHECK(sanitised("abcdefghi", 8) == "abcde\u2026");
  CHECK(sanitised("ééééé", 8) == "éé\u2026");
  CHECK(sanitised("\x01\x01\x01", 8) == "\\x01\u2026");
  CHECK(sanitised("abc", 2) == "");
}

TEST_CASE("what would be escaped is not taken for sanitised, wherever it stands", "[core][inventory]") {
  CHECK(is_sanitised(""));
  CHECK(is_sanitised("plain\tand\ncut, \u00e9, \u6f22, \U0001f600"));
  for (const std::string_view bad :
       {"\x01", "\x1b[0m", "\x7f", "\u0085", "\u202e", "\u2028", "\ufeff", "\xff", "\xc3", "\xed\xa0\x80"}) {
    for (const std::size_t before : {0, 1, 7, 63, 64, 65, 200}) {
      const std::string text = std::string(before, 'a') + std::string(bad) + "z";
      CHECK_FALSE(is_sanitised(text));
    }
  }
}

TEST_CASE("whatever goes in, valid text within the cap comes out", "[core][inventory][fuzz]") {
  std::mt19937_64 random(77);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 26);
    const std::size_t cap = 3 + random() % 60;
    const std::string out = sanitised(text, cap);
    REQUIRE(out.size() <= cap);
    REQUIRE(is_sanitised(out));
    if (is_sanitised(text) && text.size() <= cap && text.find_first_of("\n\t") == std::string::npos) REQUIRE(out == text);
    for (std::string_view rest = out; !rest.empty();) {
      const Utf8Char c = decode_utf8(rest);
      REQUIRE(c.valid);
      REQUIRE(c.code >= 0x20);
      rest.remove_prefix(c.bytes);
    }
  }
}

}  // namespace
}  // namespace dlscope::core
