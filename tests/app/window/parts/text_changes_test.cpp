// Breakpoints follow what the editor says of its edits. The fact to judge: which lines two versions of a text have in common.
#include <TextEditor.h>
#include <catch2/catch_test_macros.hpp>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "app/models/debug/breakpoint_list.h"
#include "app/models/debug/line_edits.h"
#include "app/panels/script/script_editing.h"
#include "app/panels/script/text_changes.h"

namespace dlscope::app {
namespace {

constexpr const char* kFile = "/a.py";
using Texts = std::vector<std::string>;

std::string joined(const Texts& lines, bool ends_in_newline) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (!ends_in_newline && !text.empty()) text.pop_back();
  return text;
}

// The editor gives its text with one, whatever it was set to.
std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// Each line is there once, so that it is known where it went.
Texts lines_of_a_script(std::mt19937& random, std::size_t count) {
  Texts lines;
  for (std::size_t i = 0; i < count; ++i) lines.push_back("line_" + std::to_string(i) + "_" + std::to_string(random() % 1000));
  return lines;
}

// Up to four places where lines are added, removed or changed.
Texts edited(Texts lines, std::mt19937& random) {
  for (int each = 0, edits = 1 + static_cast<int>(random() % 4); each < edits; ++each) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
    const std::string added = "new_" + std::to_string(random());
    switch (random() % 3) {
      case 0: lines.insert(lines.begin() + at, added); break;
      case 1:
        if (at < std::ssize(lines) && lines.size() > 2) lines.erase(lines.begin() + at);
        break;
      default:
        if (at < std::ssize(lines)) lines[static_cast<std::size_t>(at)] = added;
    }
  }
  return lines;
}

std::ptrdiff_t place_in(const Texts& lines, const std::string& line) {
  const auto found = std::ranges::find(lines, line);
  return found == lines.end() ? -1 : found - lines.begin();
}

// A breakpoint on a line that both have stands on that line still.
void check_followed(const std::vector<LineEdit>& edits, const Texts& from, const Texts& to) {
  for (std::uint32_t line = 1; line <= from.size(); ++line) {
    const std::ptrdiff_t now = place_in(to, from[line - 1]);
    if (now < 0) continue;
    BreakpointList list;
    list.toggle(kFile, line);
    for (const LineEdit& edit : edits) list.follow(kFile, edit);
    REQUIRE(list.all().size() == 1);
    CHECK(list.all()[0].line == now + 1);
  }
}

}  // namespace

TEST_CASE("breakpoints keep to their lines when a reload is undone and done again", "[app][breakpoints]") {
  ImGui::CreateContext();
  {
    std::mt19937 random(7);
    TextEditor editor;
    std::vector<LineEdit> edits;
    editor.SetTransactionCallback([&](const std::vector<TextEditor::Change>& changes) { note_line_edits(editor, changes, edits); });
    for (int round = 0; round < 2000; ++round) {
      const Texts old_lines = lines_of_a_script(random, 2 + random() % 12), new_lines = edited(old_lines, random);
      const bool ends_in_newline = random() % 2 != 0;
      const std::string old_text = joined(old_lines, ends_in_newline), new_text = joined(new_lines, ends_in_newline);
      INFO("before:\n" << old_text << "\n\nafter:\n" << new_text);
      editor.SetText(old_text);
      replace_keeping_place(editor, old_text, new_text);
      if (!editor.CanUndo()) continue;  // they are equal
      const auto step = [&](bool undo, const Texts& from, const Texts& to) {
        edits.clear();
        undo ? editor.Undo() : editor.Redo();
        check_followed(edits, from, to);
      };
      step(true, new_lines, old_lines);
      CHECK(without_last_newline(editor.GetText()) == without_last_newline(old_text));
      step(false, old_lines, new_lines);
      CHECK(without_last_newline(editor.GetText()) == without_last_newline(new_text));
    }
  }
  ImGui::DestroyContext();
}

}  // namespace dlscope::app
