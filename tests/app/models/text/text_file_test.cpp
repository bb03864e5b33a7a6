#include "app/models/text/text_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

// The most lines that two texts have in common, in order: by the table of all beginnings.
std::size_t most_in_common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<std::vector<std::size_t>> most(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k)
      most[i + 1][k + 1] = a[i] == b[k] ? most[i][k] + 1 : std::max(most[i][k + 1], most[i + 1][k]);
  }
  return most.back().back();
}

}  // namespace

TEST_CASE("the stretches in which two texts differ leave as many lines as possible, by brute force", "[text]") {
  std::mt19937 random(11);
  const auto text = [&random] {
    std::string out;
    for (std::size_t left = random() % 9; left > 0; --left) out += std::string(1, static_cast<char>('a' + random() % 3)) + "\n";
    return out;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string before = text(), after = text();
    INFO("before " << before << " after " << after);
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    std::vector<std::string_view> made;
    std::size_t from = 0, kept = 0;
    for (const LineDifference& each : line_differences(old_lines, new_lines)) {
      REQUIRE(each.first >= from);
      REQUIRE((each.old_last > each.first || each.new_last > made.size() + each.first - from));
      for (; from < each.first; ++from, ++kept) made.push_back(old_lines[from]);
      while (made.size() < each.new_last) made.push_back(new_lines[made.size()]);
      from = each.old_last;
    }
    for (; from < old_lines.size(); ++from, ++kept) made.push_back(old_lines[from]);
    CHECK(made == new_lines);
    CHECK(kept == most_in_common(old_lines, new_lines));
  }
}

TEST_CASE("texts that differ too much are one stretch", "[text]") {
  std::string before, after;
  for (std::size_t i = 0; i < kMostEdits; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  before.insert(0, "x\n");
  after.insert(0, "x\n");
  const auto found = line_differences(lines_of(before), lines_of(after));
  REQUIRE(found[0].first == 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].old_last == kMostEdits + 1);
}

}  // namespace dlscope::app
