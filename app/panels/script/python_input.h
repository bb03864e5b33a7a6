// The console's field while no script runs: Python in one or more lines, with history and completion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/script/console_completion.h"
#include "app/models/script/console_history.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct PythonInput {
  std::string text;  // as typed
  ConsoleHistory history;
  CompletionList completion;
  std::string said;  // a message ("Python is busy ..."), until the next key

  std::size_t cursor = 0;  // byte position, from the last frame of the field
  bool selecting = false;  // part of the text is selected
  bool active = false;     // has the keyboard
  bool take_keyboard = false;
  bool tab_pressed = false;
  std::optional<ConsoleEdit> edit;  // to be made in the field
  std::vector<std::string> held;    // lines that were entered while the line before them ran
  std::string searched;             // Ctrl+R: the searched text, and the entry found last
  std::optional<std::size_t> search_at;

  std::uint64_t ticket = 0;          // of the newest question
  std::uint64_t judged = 0;          // ticket of an open question for completeness; 0: none
  std::string judged_text;           // the text of that question
  std::uint64_t completed = 0;       // ticket of a question for completions; 0: none
  std::string completed_text;        // the text of that question
  std::size_t completed_cursor = 0;  // and its cursor
};

// The lines that the field shows of what is typed; it scrolls where there are more.
[[nodiscard]] std::size_t shown_lines(const PythonInput& state);
void draw_python_input(const FrameContext& context, PythonInput& state, Commands& commands);

}  // namespace dlscope::app
