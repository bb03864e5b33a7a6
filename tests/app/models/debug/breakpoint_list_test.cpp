// Breakpoints follow the lines of an edited text; brute force over small texts says where each line went.
#include "app/models/debug/breakpoint_list.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>

#include "app/models/debug/line_edits.h"
#include "app/models/text/text_file.h"

namespace dlscope::app {
namespace {

using Breakpoint = core::wire::Breakpoint;

std::vector<std::uint32_t> lines_of(const BreakpointList& list, std::string_view path = "/a.py") {
  std::vector<std::uint32_t> out;
  for (const Breakpoint& b : list.all()) {
    if (b.path == path) out.push_back(b.line);
  }
  return out;
}

BreakpointList on_lines(std::initializer_list<std::uint32_t> lines) {
  BreakpointList list;
  for (const std::uint32_t line : lines) list.toggle("/a.py", line);
  return list;
}

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("the host is told of the lines of the code that runs, and what it tells is shown on the lines of the text",
          "[app][breakpoints]") {
  BreakpointList list = on_lines({4, 8});
  CHECK_FALSE(list.run("/a.py"));  // nothing else is to be sent
  CHECK(list.follow("/a.py", {1, 1, 3, true}));  // two lines inserted above
  const auto sent = [&] {
    Lines lines;
    for (const Breakpoint& each : list.to_send()) lines.push_back(each.line);
    return lines;
  };
  CHECK(lines_of(list) == Lines{6, 10});
  CHECK(sent() == Lines{4, 8});
  list.toggle("/a.py", 2);
  CHECK(sent() == Lines{4, 8});
  CHECK(breakpoint_text(*list.at("/a.py", 2), list) ==
        "Stops. The line is not in the code that was run, so it counts from the next run on.");
  core::wire::BreakpointsChanged said;
  said.all.push_back({.id = list.at("/a.py", 6)->id, .line = 5, .hits = 0, .message = ""});  // the next with code
  list.take(said);
  CHECK(breakpoint_text(*list.at("/a.py", 6), list) == "Stops. Set on line 7, the next with code.");
  list.follow("/a.py", {1, 1, 2, true});
  CHECK(breakpoint_text(*list.at("/a.py", 7), list) == "Stops. Set on line 8, the next with code.");
  CHECK(list.run("/a.py"));
  CHECK(sent() == Lines{3, 7, 11});
}

TEST_CASE("a breakpoint is set and taken away on its line, with a number of its own", "[app][breakpoints]") {
  BreakpointList list;
  CHECK(list.toggle("/b.py", 4));
  CHECK(list.toggle("/a.py", 9));
  CHECK(list.toggle("/a.py", 2));
  REQUIRE(list.all().size() == 3);
  CHECK(lines_of(list) == Lines{2, 9});
  const std::uint64_t id = list.at("/a.py", 2)->id;
  CHECK(id != list.at("/a.py", 9)->id);
  const auto revision = list.revision();
  CHECK(list.toggle("/a.py", 2));
  CHECK(list.revision() > revision);
  CHECK(list.at("/a.py", 2) == nullptr);
  CHECK(list.toggle("/a.py", 2));
  CHECK(list.at("/a.py", 2)->id != id);  // another one: its hits are its own
  CHECK_FALSE(list.toggle("/a.py", 0));
  CHECK_FALSE(list.toggle("", 3));
  CHECK(list.remove_all());
  CHECK_FALSE(list.remove_all());
}

TEST_CASE("breakpoints of a file that another program changed find their lines again", "[app][breakpoints]") {
  const std::string before = "import os\n\ndef main():\n  x = 1\n  y = 2\n  print(x)\n";
  BreakpointList first = on_lines({4, 6});
  CHECK(first.note_lines("/a.py", before));
  CHECK_FALSE(first.note_lines("/a.py", before));
  CHECK(first.toggle(kUnsavedScript, 1));
  const auto kept = first.to_keep();
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].line_text == "x = 1");
  const auto found = [&](const std::string& text) {
    BreakpointList list(kept);
    static_cast<void>(list.find_lines("/a.py", text));
    return lines_of(list);
  };
  CHECK(found(before) == Lines{4, 6});
  CHECK(found("# new\n" + before) == Lines{5, 7});
  CHECK(found("import os\n\ndef main():\n    if os:\n        x = 1\n    y = 2\n    print(x)\n") == Lines{5, 7});  // indented, too
  CHECK(found("x = 1\n\n\n\nx = 1\nprint(x)\n") == Lines{5, 6});                                       // the nearest of two
  CHECK(found("a\nb\nc\nd\ne\nf\n") == Lines{4, 6});  // the lines are gone: the numbers stay
  CHECK(found("print(x)\n") == Lines{1, 4});
  CHECK(found("") == Lines{4, 6});
  // Two breakpoints on equal lines move together; neither takes the other's place.
  const std::string steps = "a\nloss.backward()\nb\nc\nloss.backward()\nd\n";
  BreakpointList both = on_lines({2, 5});
  CHECK(both.note_lines("/a.py", steps));
  for (const std::size_t inserted : {1U, 3U, 4U, 7U}) {
    BreakpointList list(both.to_keep());
    std::string above;
    for (std::size_t i = 0; i < inserted; ++i) above += "# new\n";
    CHECK(list.find_lines("/a.py", above + steps));
    CHECK(lines_of(list) == Lines{static_cast<std::uint32_t>(2 + inserted), static_cast<std::uint32_t>(5 + inserted)});
  }
  BreakpointList one_left(both.to_keep());
  static_cast<void>(one_left.find_lines("/a.py", "a\nb\nc\nd\nloss.backward()\n"));
  CHECK(lines_of(one_left) == Lines{2, 5});  // one of them is gone, and both stay
  BreakpointList blank = on_lines({2});
  CHECK_FALSE(blank.note_lines("/a.py", before));
  BreakpointList again(blank.to_keep());
  static_cast<void>(again.find_lines("/a.py", "a\nb\n\n"));  // a blank line is like any other
  CHECK(lines_of(again) == Lines{2});
  BreakpointList cut = on_lines({1});
  std::string accents = "x";
  for (int i = 0; i < 300; ++i) accents += "\xc3\xa9";
  CHECK(cut.note_lines("/a.py", accents));
  CHECK(cut.to_keep()[0].line_text.size() == 199);
}

TEST_CASE("what is changed of a breakpoint keeps its number, and there is never a second one on a line", "[app][breakpoints]") {
  BreakpointList list = on_lines({3, 5});
  Breakpoint changed = *list.at("/a.py", 3);
  changed.condition = "x > 3";
  changed.hit = 0;
  CHECK(list.put(changed));
  CHECK(list.at("/a.py", 3)->condition == "x > 3");
  CHECK(list.at("/a.py", 3)->hit == 1);
  CHECK(list.at("/a.py", 3)->id == changed.id);
  Breakpoint fresh;
  fresh.path = "/a.py";
  fresh.line = 5;
  fresh.log_text = "{x}";
  CHECK(list.put(fresh));
  CHECK(lines_of(list) == Lines{3, 5});
  CHECK(list.at("/a.py", 5)->log_text == "{x}");
  changed.id = 77;
  CHECK_FALSE(list.put(changed));  // taken away meanwhile
  fresh.condition.assign(core::wire::kMaxExpressionBytes + 1, 'x');
  CHECK_FALSE(list.put(fresh));
}

TEST_CASE("breakpoints go with their lines", "[app][breakpoints]") {
  struct Row {
    const char* what;
    LineEdit edit;
    Lines after;  // of breakpoints on 2, 5 and 8
  };
  const Row rows[] = {
      {"a line is inserted above", {1, 1, 2, true}, {3, 6, 9}},
      {"two lines are inserted in front of the code of line 5", {5, 5, 7, true}, {2, 7, 10}},
      {"Enter within line 5: its beginning stays", {5, 5, 6, false}, {2, 5, 9}},
      {"Enter behind the end", {9, 9, 10, false}, {2, 5, 8}},
      {"lines 3 and 4 are deleted", {3, 5, 3, true}, {2, 3, 6}},
      {"line 5 is deleted", {5, 6, 5, true}, {2, 7}},
      {"line 5 is joined to line 4", {4, 5, 4, false}, {2, 4, 7}},
      {"lines 4 to 6 are replaced by as many", {4, 6, 6, true}, {2, 5, 8}},
      {"lines 4 to 6 are replaced by one", {4, 6, 4, true}, {2, 6}},
      {"everything is deleted", {1, 8, 1, true}, {1}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    BreakpointList list = on_lines({2, 5, 8});
    list.toggle("/other.py", 5);
    const auto revision = list.revision();
    const bool changed = list.follow("/a.py", row.edit);
    CHECK(lines_of(list) == row.after);
    CHECK(lines_of(list, "/other.py") == Lines{5});
    CHECK(changed == (row.after != Lines{2, 5, 8}));
    CHECK((list.revision() != revision) == changed);
  }
}

TEST_CASE("breakpoints stay on their lines whatever another editor changes at several places at once", "[app][breakpoints]") {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    // Each line is told by its number before; lines that are new have names of their own.
    std::string before, after;
    Lines expected;
    BreakpointList list;
    std::uint32_t now = 0;
    const auto lines = static_cast<std::uint32_t>(1 + random() % 12);
    for (std::uint32_t line = 1; line <= lines; ++line) {
      before += std::to_string(line) + "\n";
      list.toggle("/a.py", line);
      for (; random() % 4 == 0; ++now) after += "new " + std::to_string(now) + "\n";
      if (random() % 4 == 0) continue;  // the line is deleted
      after += std::to_string(line) + "\n";
      expected.push_back(++now);
    }
    INFO("before\n" << before << "after\n" << after);
    std::map<std::uint64_t, std::uint32_t> was;
    for (const Breakpoint& each : list.all()) was[each.id] = each.line;
    for (const LineEdit& edit : line_edits_between(before, after)) list.follow("/a.py", edit);
    const auto old_lines = app::lines_of(std::string_view(before)), new_lines = app::lines_of(std::string_view(after));
    for (const std::uint32_t line : expected) {
      const Breakpoint* const there = list.at("/a.py", line);
      REQUIRE(there != nullptr);
      CHECK(old_lines[was[there->id] - 1] == new_lines[line - 1]);
    }
  }
}

TEST_CASE("whatever whole lines are inserted or deleted, breakpoints stay on the text they were set on", "[app][breakpoints]") {
  constexpr std::uint32_t kLines = 6;
  for (std::uint32_t first = 1; first <= kLines; ++first) {
    for (std::uint32_t count = 0; count <= 3; ++count) {
      for (const bool insert : {true, false}) {
        if (!insert && first + count > kLines) continue;
        // Each line is told by its number before the edit; 0: a new one.
        std::vector<std::uint32_t> text;
        for (std::uint32_t line = 1; line <= kLines; ++line) text.push_back(line);
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(first - 1);
        if (insert)
          text.insert(at, count, 0);
        else
          text.erase(at, at + static_cast<std::ptrdiff_t>(count));
        const LineEdit edit{first, insert ? first : first + count, insert ? first + count : first, true};
        for (std::uint32_t line = 1; line <= kLines; ++line) {
          BreakpointList list = on_lines({line});
          list.follow("/a.py", edit);
          Lines wanted;
          for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == line) wanted.push_back(static_cast<std::uint32_t>(i + 1));
          }
          INFO((insert ? "insert " : "delete ") << count << " at " << first << ", breakpoint on " << line);
          CHECK(lines_of(list) == wanted);
        }
      }
    }
  }
}

TEST_CASE("two breakpoints that meet on one line become one", "[app][breakpoints]") {
  BreakpointList list = on_lines({4, 5});
  const std::uint64_t first = list.at("/a.py", 4)->id;
  CHECK(list.follow("/a.py", {4, 5, 4, false}));
  REQUIRE(lines_of(list) == Lines{4});
  CHECK(list.all()[0].id == first);
}

TEST_CASE("a script that gets a file takes its breakpoints along", "[app][breakpoints]") {
  BreakpointList list;
  list.toggle(kUnsavedScript, 3);
  CHECK(list.rename(kUnsavedScript, "/a.py"));
  CHECK(lines_of(list) == Lines{3});
  CHECK_FALSE(list.rename(kUnsavedScript, "/b.py"));
  CHECK(list.remove_of("/a.py"));
  CHECK(list.all().empty());
  CHECK(source_path("") == kUnsavedScript);
  CHECK(source_path("/x/./y/../z.py") == "/x/z.py");
  CHECK(source_path("z.py") == (std::filesystem::current_path() / "z.py").string());
}

TEST_CASE("what the host says is kept for the breakpoints there are", "[app][breakpoints]") {
  BreakpointList list = on_lines({3});
  const std::uint64_t id = list.all()[0].id;
  const auto revision = list.revision();
  list.take({{{id, 4, 2, "no code on this line"}, {99, 1, 1, ""}}});
  REQUIRE(list.state_of(id) != nullptr);
  CHECK(list.state_of(id)->hits == 2);
  CHECK(list.state_of(99) == nullptr);
  CHECK(list.revision() == revision);  // nothing to send back
  CHECK(breakpoint_text(list.all()[0], list) ==
        "Stops. Hit 2 times since the run began. Set on line 4, the next with code.\nno code on this line");
  list.take({});  // another host, which knows nothing of them yet
  CHECK(list.state_of(id) == nullptr);
}

TEST_CASE("a breakpoint says what it does", "[app][breakpoints]") {
  const BreakpointList list;
  Breakpoint b;
  b.path = "/a.py";
  b.line = 3;
  CHECK(breakpoint_text(b, list) == "Stops.");
  b.condition = "i == 37";
  CHECK(breakpoint_text(b, list) == "Stops when i == 37.");
  b.hit = 3;
  CHECK(breakpoint_text(b, list) == "Stops when i == 37, from the 3rd time on.");
  b.log_text = "loss {loss}";
  b.hit = 12;
  b.condition.clear();
  CHECK(breakpoint_text(b, list) == "Prints \"loss {loss}\" and continues, from the 12th time on.");
  b.enabled = false;
  CHECK(breakpoint_text(b, list).starts_with("Disabled."));
}

TEST_CASE("breakpoints that were kept get numbers anew, whatever the file said", "[app][breakpoints]") {
  std::vector<KeptBreakpoint> kept(3);
  kept[0].path = kept[1].path = "/a.py";
  kept[0].line = kept[1].line = 4;
  kept[0].id = 9;
  kept[2].line = 5;  // of no file
  const BreakpointList list(kept);
  REQUIRE(list.all().size() == 1);
  CHECK(list.all()[0].line == 4);
}

}  // namespace dlscope::app
