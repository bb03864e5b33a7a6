#include "app/models/script/output_model.h"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/script/output_rows.h"

namespace dlscope::app {
namespace {

std::string shown(std::string_view bytes) {
  OutputModel output;
  output.append(bytes);
  while (output.digest()) {
  }
  return output.all_text();
}

}  // namespace

TEST_CASE("lines, tabs and backspaces come out as on a terminal", "[app][models]") {
  CHECK(shown("one\r\ntwo\r\n") == "one\ntwo\n");
  CHECK(shown("a\tb") == "a       b");
  CHECK(shown("0123456789\r\tX") == "01234567X9");
  CHECK(shown("abc\b\bX") == "aXc");
  CHECK(shown("bell\a and nul\0 gone") == "bell and nul");
}

TEST_CASE("a progress bar is one line that changes", "[app][models]") {
  CHECK(shown("  0%|    |\r 50%|##  |\r100%|####|\n") == "100%|####|\n");
  CHECK(shown("long line\rshort\x1b[K\n") == "short\n");
  // Two bars, the cursor going up between them.
  CHECK(shown("a 0%\nb 0%\x1b[A\ra 9%\n\rb 9%\n") == "a 9%\nb 9%\n");
}

TEST_CASE("colours, titles and other escapes are taken out", "[app][models]") {
  CHECK(shown("\x1b[1;31mred\x1b[0m plain") == "red plain");
  CHECK(shown("\x1b]0;window title\x07text") == "text");
  CHECK(shown("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(shown("\x1b[?25l\x1b[2Jx") == "x");
}

TEST_CASE("bytes that are no text become a mark, split characters come together", "[app][models]") {
  CHECK(shown("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(shown("\xff\xfe") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(shown("a\xe2\x82"
              "b") ==
        "a\xef\xbf\xbd"
        "b");
  OutputModel output;
  output.append("\xe2\x82");
  output.digest();
  output.append("\xac");
  output.digest();
  CHECK(output.all_text() == "\xe2\x82\xac");
  CHECK(shown("safe\xe2\x80\xaetext").find("\xe2\x80\xae") == std::string::npos);  // direction override
}

TEST_CASE("it stays bounded and says what it let go", "[app][models]") {
  OutputModel output({.lines = 100, .bytes = 10'000, .line_length = 80, .digest_per_frame = 1000, .waiting = 50'000});
  std::string flood;
  for (int i = 0; i < 3000; ++i) flood += "line " + std::to_string(i) + "\n";
  output.append(flood);
  int frames = 0;
  while (output.digest()) ++frames;
  CHECK(frames > 10);
  CHECK(output.size() <= 101);
  CHECK(output.dropped_lines() > 0);
  CHECK(output.line(output.size() - 2).text == "line 2999");
  output.append(std::string(200'000, 'x'));
  CHECK(output.skipped_bytes() > 0);
  while (output.digest()) {
  }
  for (std::size_t i = 0; i < output.size(); ++i) CHECK(output.line(i).text.size() <= 200);
}

TEST_CASE("notes of dlscope stand on lines of their own", "[app][models]") {
  OutputModel output;
  output.append("no newline");
  output.note("run 1 finished");
  output.append("next\n");
  output.digest();
  CHECK(output.all_text() == "no newline\nrun 1 finished\nnext\n");
  CHECK(output.line(1).kind == OutputKind::note);
  CHECK(output.line(2).kind == OutputKind::text);
  output.note(">>> two\nlines\x1b");
  CHECK(output.all_text() == "no newline\nrun 1 finished\nnext\n>>> two\nlines\n");
  CHECK(output.line(4).kind == OutputKind::note);
}

TEST_CASE("no sequence of bytes breaks it", "[app][models]") {
  std::mt19937 random(3);
  OutputModel output({.lines = 50, .bytes = 4000, .line_length = 40, .digest_per_frame = 777, .waiting = 5000});
  constexpr std::string_view kLikely = "\x1b[ABCDGKmJ;0123456789\r\n\b\t\xc3\xbc\x1b]";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (unsigned i = 0; i < random() % 60; ++i) {
      bytes += random() % 3 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
    }
    output.append(bytes);
    output.digest();
    REQUIRE(output.size() >= 1);
    REQUIRE(output.size() <= 52);
  }
}

namespace {

// As a font of fixed width: ASCII 8 pixels, other characters 13.
float made_up_width(std::string_view text) {
  float width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // the character was counted with its first byte
    width += static_cast<unsigned char>(c) < 0x80 ? 8 : 13;
  }
  return width;
}

std::vector<std::size_t> starts_of(std::string_view line, float room, OutputKind kind = OutputKind::text) {
  std::vector<std::size_t> out;
  find_row_starts({.text = std::string(line), .runs = {}, .kind = kind}, {room, 8, made_up_width}, out);
  return out;
}

// The rows of a sentence, found word by word: as many words as fit, and a word wider than a row in as many pieces as it needs.
std::vector<std::string> sentence_rows(std::string_view line, float room) {
  std::vector<std::string> out{""};
  const auto has_room = [&](std::string_view more) { return made_up_width(out.back() + std::string(more)) <= room; };
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      out.back() += line[at++];
      continue;
    }
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (!out.back().empty() && !has_room(line.substr(at, end - at)) && out.back().ends_with(' ')) out.emplace_back();
    for (; at < end;) {
      std::size_t next = at + 1;
      while (next < end && (static_cast<unsigned char>(line[next]) & 0xC0U) == 0x80U) ++next;
      const std::string_view character = line.substr(at, next - at);
      if (!out.back().empty() && !has_room(character)) out.emplace_back();
      out.back() += character;
      at = next;
    }
  }
  return out;
}

void digest(OutputModel& output, std::string_view bytes) {
  output.append(bytes);
  while (output.digest()) {
  }
}

}  // namespace

TEST_CASE("a long line goes on in the next row after as many characters as fit", "[app][models]") {
  using Starts = std::vector<std::size_t>;
  CHECK(starts_of("", 80) == Starts{0});
  CHECK(starts_of("0123456789", 80) == Starts{0});
  CHECK(starts_of("0123456789a", 80) == Starts{0, 10});
  CHECK(starts_of("0123456789", 0) == Starts{0});          // not wrapped
  CHECK(starts_of("abc", 1) == Starts{0, 1, 2});           // at least one character
  CHECK(starts_of("\u4e2d\u4e2d\u4e2d", 30) == Starts{0, 6});  // whole characters: 26 pixels, then 13
  CHECK(starts_of("ab\u4e2d", 20) == Starts{0, 2});
}

TEST_CASE("dlscope's own lines go on in the next row between words", "[app][models]") {
  using Starts = std::vector<std::size_t>;
  constexpr OutputKind kNote = OutputKind::note;
  CHECK(starts_of("with this Python.", 96) == Starts{0, 12});  // as the output of a program
  CHECK(starts_of("with this Python.", 96, kNote) == Starts{0, 10});
  CHECK(starts_of("with this Python.", 96, OutputKind::failure) == Starts{0, 10});
  CHECK(starts_of("with this Python.", 0, kNote) == Starts{0});
  CHECK(starts_of("with  this", 32, kNote) == Starts{0, 6});       // blanks at the end of a row need no room
  CHECK(starts_of("a 0123456789a", 80, kNote) == Starts{0, 2, 12});  // a word wider than a row
  CHECK(starts_of("", 80, kNote) == Starts{0});
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string line;
    for (auto i = random() % 40; i > 0; --i) line += random() % 4 == 0 ? " " : random() % 5 == 0 ? "\u4e2d" : "x";
    const float room = 8.0F * static_cast<float>(2 + random() % 12);
    Starts expected{0};
    for (const std::string& row : sentence_rows(line, room)) expected.push_back(expected.back() + row.size());
    if (expected.size() > 1) expected.pop_back();
    CAPTURE(line, room);
    REQUIRE(starts_of(line, room, kNote) == expected);
  }
}

TEST_CASE("rows are counted as by cutting every line, while lines come, change and are dropped", "[app][models]") {
  std::mt19937 random(5);
  OutputModel output({.lines = 40, .bytes = 1U << 20});
  OutputRows rows;
  std::uint64_t dropped = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t before = rows.size(), first = output.first_line();
    std::vector<std::size_t> rows_before;
    for (std::size_t i = 0; i < output.size() && before > 0; ++i) rows_before.push_back(rows.rows_of(i));
    std::string text;
    for (auto i = random() % 60; i > 0; --i) text += random() % 5 == 0 ? "\u4e2d" : "x";
    digest(output, text + (random() % 4 == 0 ? "\r" : "\n"));
    const RowMeasure measure{.room = round < 200 ? 100.0F : 60.0F, .column = 8, .width = made_up_width};
    rows.follow(output, output.size(), measure);
    for (std::uint64_t i = 0; i < output.first_line() - first && i < rows_before.size(); ++i) dropped += rows_before[i];
    CHECK(rows.dropped() == dropped);
    std::size_t row = 0;
    for (std::size_t line = 0; line < output.size(); ++line) {
      const std::size_t expected = starts_of(output.line(line).text, measure.room).size();
      REQUIRE(rows.rows_of(line) == expected);
      REQUIRE(rows.first_row_of(line) == row);
      for (std::size_t i = 0; i < expected; ++i, ++row) {
        REQUIRE(rows.at(row).line == line);
        REQUIRE(rows.at(row).row == i);
      }
    }
    REQUIRE(rows.size() == row);
  }
  CHECK(dropped > 0);
  output.clear();
  rows.follow(output, 0, {.room = 60, .column = 8, .width = made_up_width});
  CHECK(rows.size() == 0);
}

}  // namespace dlscope::app
