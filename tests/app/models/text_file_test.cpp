#include "app/models/text/text_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace dlscope::app {

TEST_CASE("every file that can be opened is written back byte for byte", "[text]") {
  const std::string bytes =
      GENERATE(std::string(""), std::string("\n"), std::string("a"), std::string("a\nb\n"), std::string("a\r\nb\r\n"),
               std::string("a\rb\r"), std::string("a\r\nb\nc\rd"), std::string("\xEF\xBB\xBFx = 1\r\n"),
               std::string("\tx = '\t'\n"), std::string("a\n\n\r\n\r\r\n"), std::string("s = '\xF0\x9F\x98\x80'\n"),
               std::string("\xEF\xBB\xBF"), std::string("\f\x1b\n"));
  const auto read = text_from_bytes(bytes, "x.py");
  REQUIRE(read.has_value());
  CHECK(read->text.find('\r') == std::string::npos);
  CHECK(bytes_from_text(read->text, read->format, read->text) == bytes);
}

TEST_CASE("typed lines take the file's line ends, the others keep their own", "[text]") {
  const auto crlf = text_from_bytes("a\r\nb\r\n", "x.py").value();
  CHECK(bytes_from_text("a\nnew\nb\n", crlf.format, crlf.text) == "a\r\nnew\r\nb\r\n");
  const auto mixed = text_from_bytes("a\r\nb\nc\r\nd\n e\r\n", "x.py").value();
  CHECK(mixed.format.mixed());
  CHECK(bytes_from_text("a\nb\nnew\nc\nd\n e\n", mixed.format, mixed.text) == "a\r\nb\nnew\r\nc\r\nd\n e\r\n");
  CHECK(bytes_from_text("top\na\nb\nc\nd\n e\nend\n", mixed.format, mixed.text) == "top\r\na\r\nb\nc\r\nd\n e\r\nend\r\n");
}

TEST_CASE("text that is not UTF-8 is refused with its place", "[text]") {
  const std::string bytes = GENERATE(std::string("ok\nna\xEFve\n"), std::string("ok\n\xC0\xAF"), std::string("ok\n\xED\xA0\x80"),
                                     std::string("ok\n\xF4\x90\x80\x80"), std::string("ok\n\xE2\x82"), std::string("ok\n\x80"));
  const auto read = text_from_bytes(bytes, "x.py");
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message.find("line 2") != std::string::npos);
  CHECK(read.error().message.find("UTF-8") != std::string::npos);
}

TEST_CASE("two texts differ between their common lines", "[text]") {
  const auto difference = [](std::string_view a, std::string_view b) { return line_difference(lines_of(a), lines_of(b)); };
  const auto same = difference("a\nb", "a\nb");
  CHECK(same.first == 2);
  CHECK(same.old_last == 2);
  const auto middle = difference("a\nb\nc", "a\nx\ny\nc");
  CHECK(middle.first == 1);
  CHECK(middle.old_last == 2);
  CHECK(middle.new_last == 3);
  const auto repeated = difference("a\na", "a\na\na");
  CHECK(repeated.first == 2);
  CHECK(repeated.old_last == 2);
  CHECK(repeated.new_last == 3);
}

}  // namespace dlscope::app
