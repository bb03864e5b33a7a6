#include "app/panels/script/script_editing.h"

#include <TextEditor.h>

#include <algorithm>

#include "app/models/text/characters.h"
#include "app/models/text/python_text.h"
#include "app/models/text/text_file.h"

namespace dlscope::app {
namespace {

using Pos = TextEditor::DocPos;

constexpr std::size_t kMaxPainted = 2'000;
constexpr std::size_t kFoundSquiggle = 7;  // the editor's marker kind used for matches

// In code points.
std::size_t length_of(const TextEditor& editor, std::size_t line) { return count_characters(editor.GetLineText(line)); }

Pos end_of(const TextEditor& editor, std::size_t line) { return {line, length_of(editor, line)}; }

bool plain_cursor(const TextEditor& editor) { return editor.GetNumberOfCursors() == 1 && !editor.AnyCursorHasSelection(); }

std::string joined(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) out.append(i > first ? "\n" : "").append(lines[i]);
  return out;
}

}  // namespace

void replace_keeping_place(TextEditor& editor, const std::string& before, const std::string& after) {
  const auto old_lines = lines_of(before), new_lines = lines_of(after);
  const LineDifference d = line_difference(old_lines, new_lines);
  if (d.first == d.old_last && d.first == d.new_last) return;
  const Pos cursor = editor.GetMainCursorPosition();
  const std::size_t top = editor.GetFirstVisibleRow();
  const auto moved = [&](std::size_t line) {
    if (line < d.first) return line;
    if (line >= d.old_last) return line - d.old_last + d.new_last;
    return std::min(line, std::max(d.new_last, d.first + 1) - 1);
  };
  const std::string middle = joined(new_lines, d.first, d.new_last);
  const bool removes = d.old_last > d.first, adds = d.new_last > d.first;
  if (d.old_last < old_lines.size()) {
    editor.ReplaceSectionText(Pos(d.first, 0), Pos(d.old_last, 0), adds ? middle + "\n" : std::string());
  } else if (d.first > 0) {
    const Pos from = end_of(editor, d.first - 1);
    editor.ReplaceSectionText(from, removes ? end_of(editor, d.old_last - 1) : from, adds ? "\n" + middle : std::string());
  } else {
    editor.ReplaceSectionText(Pos(0, 0), end_of(editor, old_lines.size() - 1), middle);
  }
  editor.SetCursor(Pos(moved(cursor.line), cursor.index));
  editor.ScrollToLine(moved(top), TextEditor::Scroll::alignTop);
}

void toggle_comment(TextEditor& editor) {
  const auto selection = editor.GetMainCursorSelection();
  const bool selected = selection.start != selection.end;
  const bool ends_before = selected && selection.end.index == 0 && selection.end.line > selection.start.line;
  const std::size_t last = selection.end.line - (ends_before ? 1 : 0);
  const Pos from(selection.start.line, 0), to = end_of(editor, last);
  const std::string before = editor.GetSectionText(from, to), after = toggled_comment(before);
  if (before == after) return;
  const std::size_t old_length = length_of(editor, selection.end.line);
  editor.ReplaceSectionText(from, to, after);
  if (selected) {
    editor.SelectRegion(from, ends_before ? Pos(last + 1, 0) : end_of(editor, last));
    return;
  }
  const std::size_t new_length = length_of(editor, last), index = selection.end.index;
  const std::size_t from_end = old_length - std::min(index, old_length);
  editor.SetCursor(Pos(last, new_length - std::min(from_end, new_length)));
}

void move_lines(TextEditor& editor, MoveLines where) {
  const auto selection = editor.GetMainCursorSelection();
  const bool ends_before = selection.end.index == 0 && selection.end.line > selection.start.line;
  const std::size_t first = selection.start.line, last = selection.end.line - (ends_before ? 1 : 0);
  const bool up = where == MoveLines::up;
  if (up ? first == 0 : last + 1 >= editor.GetLineCount()) return;
  const std::string lines = editor.GetSectionText(Pos(first, 0), end_of(editor, last));
  const std::size_t other = up ? first - 1 : last + 1;
  const std::string passed = editor.GetSectionText(Pos(other, 0), end_of(editor, other));
  editor.ReplaceSectionText(Pos(std::min(first, other), 0), end_of(editor, std::max(last, other)),
                            up ? lines + "\n" + passed : passed + "\n" + lines);
  const auto moved = [up](Pos at) { return Pos(up ? at.line - 1 : at.line + 1, at.index); };
  if (selection.start == selection.end)
    editor.SetCursor(moved(selection.start));
  else
    editor.SelectRegion(moved(selection.start), ends_before ? end_of(editor, moved(Pos(last, 0)).line) : moved(selection.end));
}

void break_line(TextEditor& editor, const std::string& unit) {
  const auto selection = editor.GetMainCursorSelection();
  const std::string before = editor.GetSectionText(Pos(selection.start.line, 0), selection.start);
  const std::string line = "\n" + next_indent(before, unit);
  editor.ReplaceSectionText(selection.start, selection.end, line);
  editor.SetCursor(Pos(selection.start.line + 1, line.size() - 1));
}

bool before_code(const TextEditor& editor, const std::string& unit) {
  if (!plain_cursor(editor) || unit.size() < 2 || unit[0] == '\t') return false;
  const Pos cursor = editor.GetMainCursorPosition();
  if (cursor.index < 2) return false;
  return editor.GetSectionText(Pos(cursor.line, 0), cursor).find_first_not_of(' ') == std::string::npos;
}

void take_back_indent(TextEditor& editor, const std::string& unit) {
  const Pos cursor = editor.GetMainCursorPosition();
  editor.ReplaceSectionText(Pos(cursor.line, (cursor.index - 1) / unit.size() * unit.size()), cursor, "");
}

void select_match(TextEditor& editor, const TextMatch& match) {
  editor.SetCursor(Pos(match.line, match.last));  // scrolls it into view
  editor.SelectRegion(Pos(match.line, match.first), Pos(match.line, match.last));
}

void go_to_line(TextEditor& editor, std::size_t line) {
  const std::size_t target = std::min(line, editor.GetLineCount() - 1);
  editor.SetCursor(Pos(target, 0));
  if (target < editor.GetFirstVisibleRow() + 1 || target + 1 > editor.GetLastVisibleRow()) editor.ScrollToLine(target);
}

void paint_matches(TextEditor& editor, const FindResult& found, unsigned colour) {
  if (editor.HasSquiggles()) editor.ClearSquiggles();
  const auto cursor = static_cast<std::uint32_t>(editor.GetMainCursorPosition().line);
  const std::size_t middle = found.matches.empty() ? 0 : match_from(found.matches, cursor, 0);
  const std::size_t first = middle - std::min(middle, kMaxPainted / 2);
  const std::size_t last = std::min(found.matches.size(), first + kMaxPainted);
  for (std::size_t i = first; i < last; ++i) {
    const TextMatch& m = found.matches[i];
    editor.AddSquiggle(Pos(m.line, m.first), Pos(m.line, m.last), kFoundSquiggle, colour, {},
                       TextEditor::SquiggleStyle::background);
  }
}

void apply_replacements(TextEditor& editor, const ReplacePlan& plan) {
  const Pos cursor = editor.GetMainCursorPosition();
  std::uint32_t line = 0;
  auto next = plan.lines.begin();
  editor.FilterLines([&](std::string_view text) {
    const bool changes = next != plan.lines.end() && next->first == line++;
    return changes ? (next++)->second : std::string(text);
  });
  editor.SetCursor(cursor);
}

command::RunText part_to_run(const TextEditor& editor) {
  auto selection = editor.GetMainCursorSelection();
  if (selection.start == selection.end) {
    const std::string text = editor.GetText();
    const auto lines = statement_at(text, selection.start.line);
    if (!lines) return {};
    RunPart part = part_of_lines(text, *lines);
    return {std::move(part.text), true, part.first_line};
  }
  // A selection that begins in a line's indentation is extended to the start of the line, so that its indentation is consistent.
  const std::string before = editor.GetSectionText(Pos(selection.start.line, 0), selection.start);
  if (before.find_first_not_of(" \t") == std::string::npos) selection.start.index = 0;
  std::string text = dedented(editor.GetSectionText(selection.start, selection.end));
  if (text.find_first_not_of(" \t\n") == std::string::npos) return {};
  return {std::move(text), true, selection.start.line};
}

}  // namespace dlscope::app
