#include "app/panels/script/text_changes.h"

#include <algorithm>
#include <string>

#include "app/models/debug/line_edits.h"

namespace dlscope::app {
namespace {

constexpr std::uint32_t one_based(std::size_t line) { return static_cast<std::uint32_t>(line + 1); }

bool blank_before(const TextEditor& editor, TextEditor::DocPos place) {
  return editor.GetSectionText({place.line, 0}, place).find_first_not_of(" \t") == std::string::npos;
}

// A replacement of several lines by several, as when a reload is undone: lines that both texts have stay. Whole lines are
// compared, with what stands before the place and behind it on the same line.
void note_replacement(const TextEditor& editor, const TextEditor::Change& removed, const TextEditor::Change& inserted,
                      std::vector<LineEdit>& edits) {
  const std::string before = editor.GetSectionText({removed.start.line, 0}, removed.start);
  const std::string last = editor.GetLineText(inserted.end.line);
  const std::string behind = last.substr(std::min(last.size(), editor.GetSectionText({inserted.end.line, 0}, inserted.end).size()));
  for (LineEdit edit : line_edits_between(before + removed.text + behind, before + inserted.text + behind)) {
    const auto lines_above = static_cast<std::uint32_t>(removed.start.line);
    edit.first += lines_above;
    edit.last += lines_above;
    edit.new_last += lines_above;
    edits.push_back(edit);
  }
}

// One change of several lines into several. Undo reports the changes in the order in which they were made, not reversed. Among
// more changes of one step (several cursors) the text around the place may be another one by now.
bool is_replacement_of_lines(const std::vector<TextEditor::Change>& changes) {
  const auto has_lines = [](const TextEditor::Change& change) { return change.start.line != change.end.line; };
  return changes.size() == 2 && changes[0].insert != changes[1].insert && changes[0].start == changes[1].start &&
         has_lines(changes[0]) && has_lines(changes[1]);
}

}  // namespace

void note_line_edits(const TextEditor& editor, const std::vector<TextEditor::Change>& changes, std::vector<LineEdit>& edits) {
  if (is_replacement_of_lines(changes)) {
    const bool undone = changes[0].insert;
    return note_replacement(editor, changes[undone ? 1 : 0], changes[undone ? 0 : 1], edits);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const TextEditor::Change& change = changes[i];
    const bool replaced =
        !change.insert && i + 1 < changes.size() && changes[i + 1].insert && changes[i + 1].start == change.start;
    LineEdit edit;
    edit.first = one_based(change.start.line);
    edit.last = change.insert ? edit.first : one_based(change.end.line);
    edit.new_last = replaced ? one_based(changes[i + 1].end.line) : change.insert ? one_based(change.end.line) : edit.first;
    if (replaced) ++i;
    if (edit.last == edit.first && edit.new_last == edit.first) continue;
    edit.at_line_start = blank_before(editor, change.start);
    edits.push_back(edit);
  }
}

}  // namespace dlscope::app
