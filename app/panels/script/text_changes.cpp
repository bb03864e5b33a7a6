#include "app/panels/script/text_changes.h"

#include <algorithm>
#include <string>

namespace dlscope::app {
namespace {

constexpr std::uint32_t one_based(std::size_t line) { return static_cast<std::uint32_t>(line + 1); }

bool blank_before(const TextEditor& editor, TextEditor::DocPos place) {
  return editor.GetSectionText({place.line, 0}, place).find_first_not_of(" \t") == std::string::npos;
}

}  // namespace

void note_line_edits(const TextEditor& editor, const std::vector<TextEditor::Change>& changes, std::vector<LineEdit>& edits) {
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
