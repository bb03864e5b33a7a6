// Lines of the code that runs, in a text that is edited meanwhile; texts whose lines all differ say where each line went.
#include "app/models/debug/run_lines.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "app/models/debug/line_edits.h"

namespace dlscope::app {
namespace {

using Lines = std::vector<std::string>;

std::string text_of(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// One-based; 0: it is not there.
std::uint32_t place_of(const std::string& line, const Lines& in) {
  const auto found = std::ranges::find(in, line);
  return found == in.end() ? 0 : static_cast<std::uint32_t>(found - in.begin() + 1);
}

// Removes some lines, or inserts new ones. (Lines that are replaced by others keep their numbers, as those do in which one types.)
Lines edited(Lines lines, std::mt19937& random, int& last_name) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  const std::size_t at = below(lines.size()), gone = std::min(below(3), lines.size() - at);
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(at);
  const auto place = lines.erase(first, first + static_cast<std::ptrdiff_t>(gone));
  Lines fresh(gone > 0 ? 0 : below(3));
  for (std::string& line : fresh) line = "line " + std::to_string(++last_name);
  lines.insert(place, fresh.begin(), fresh.end());
  return lines;
}

}  // namespace

TEST_CASE("each line of the code is where it stands in the edited text, and each line of the text where it stands in the code",
          "[app][breakpoints]") {
  std::mt19937 random(36);
  for (int round = 0; round < 300; ++round) {
    int last_name = 0;
    Lines code(12);
    for (std::string& line : code) line = "line " + std::to_string(++last_name);
    RunLines lines;
    lines.run("/a.py");
    Lines text = code;
    for (int edit = 0; edit < 5; ++edit) {
      const Lines next = edited(text, random, last_name);
      for (const LineEdit& each : line_edits_between(text_of(text), text_of(next))) lines.follow("/a.py", each);
      text = next;
      for (std::uint32_t line = 1; line <= code.size(); ++line)
        REQUIRE(lines.in_text("/a.py", line) == place_of(code[line - 1], text));
      for (std::uint32_t line = 1; line <= text.size(); ++line)
        REQUIRE(lines.in_code("/a.py", line) == place_of(text[line - 1], code));
    }
  }
}

TEST_CASE("a file that is opened again, changed or not, has the lines of the code that runs where they stand", "[app][breakpoints]") {
  std::mt19937 random(37);
  for (int round = 0; round < 300; ++round) {
    int last_name = 0;
    Lines code(12);
    for (std::string& line : code) line = "line " + std::to_string(++last_name);
    RunLines lines;
    lines.run("/a.py", std::make_shared<const std::string>(text_of(code)));
    const Lines typed = edited(code, random, last_name);
    for (const LineEdit& each : line_edits_between(text_of(code), text_of(typed))) lines.follow("/a.py", each);
    lines.open("/b.py", "x\n");
    CHECK(lines.in_text("/b.py", 3) == 3);
    // What was typed is lost, and another program may have changed the file.
    Lines text = round % 3 == 0 ? code : edited(code, random, last_name);
    lines.open("/a.py", text_of(text));
    for (int edit = 0; edit < 2; ++edit) {
      for (std::uint32_t line = 1; line <= code.size(); ++line)
        REQUIRE(lines.in_text("/a.py", line) == place_of(code[line - 1], text));
      for (std::uint32_t line = 1; line <= text.size(); ++line)
        REQUIRE(lines.in_code("/a.py", line) == place_of(text[line - 1], code));
      const Lines next = edited(text, random, last_name);
      for (const LineEdit& each : line_edits_between(text_of(text), text_of(next))) lines.follow("/a.py", each);
      text = next;
    }
  }
}

TEST_CASE("a line that is broken or joined keeps its code, and other files keep their lines", "[app][breakpoints]") {
  RunLines lines;
  lines.run("/a.py");
  lines.follow("/b.py", {1, 1, 5, true});
  lines.follow("/a.py", {3, 3, 3, false});  // typed within a line
  CHECK(lines.in_text("/a.py", 9) == 9);
  lines.follow("/a.py", {3, 3, 4, false});  // broken behind its code: the code stays, the new line is no line of the code
  CHECK(lines.in_text("/a.py", 3) == 3);
  CHECK(lines.in_code("/a.py", 4) == 0);
  CHECK(lines.in_code("/a.py", 5) == 4);
  CHECK(lines.in_text("/b.py", 7) == 7);
  CHECK(lines.in_code("/b.py", 7) == 7);
  lines.run("/a.py");  // again, as it is now
  CHECK(lines.in_text("/a.py", 4) == 4);
  CHECK(lines.in_code("/a.py", 4) == 4);
}

}  // namespace dlscope::app
