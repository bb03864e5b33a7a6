#include "app/cli/plain_text.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope::app;

TEST_CASE("Control characters are written out", "[app][cli]") {
  CHECK(plain_text("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(plain_text("a\nb\tc") == "a\\nb\\tc");
  CHECK(plain_text("a\nb\tc\r", Newlines::keep) == "a\nb\tc\\x0d");
  CHECK(plain_text("\xc2\x9b") == "\\x9b");
}

TEST_CASE("Marks that turn text around are written out", "[app][cli]") { CHECK(plain_text("a\u202eb") == "a\\u202eb"); }

TEST_CASE("Bytes that are no UTF-8 are written out", "[app][cli]") {
  CHECK(plain_text("a\xff\xc3") == "a\\xff\\xc3");
  CHECK(plain_text("Grüße 日本") == "Grüße 日本");
}

TEST_CASE("Width is counted in columns", "[app][cli]") {
  CHECK(columns_of("") == 0);
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("日本") == 4);
  CHECK(columns_of("e\u0301") == 1);
}

TEST_CASE("Long text loses its middle", "[app][cli]") {
  CHECK(cut_middle("short", 10) == "short");
  CHECK(cut_middle("abcdefghijkl", 9) == "abc...jkl");
  CHECK(cut_middle("abcdefghijkl", 3) == "abc");
  CHECK(columns_of(cut_middle("日本日本日本日本日本", 9)) <= 9);
}
