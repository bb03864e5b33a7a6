// The input line below the output: Python while nothing runs, the script's input while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/script/console_completion.h"
#include "app/models/script/console_history.h"
#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"

struct ImGuiInputTextCallbackData;

namespace dlscope::app {

struct ConsoleInputState {
  std::string text;   // Python being typed, one or more lines
  std::string reply;  // what is being typed for the script's input()
  ConsoleHistory history;
  CompletionList completion;
  std::string said;  // a message ("Python is busy ..."), until the next key

  std::size_t cursor = 0;  // byte position, from the last frame of the field
  bool selecting = false;  // part of the text is selected
  bool active = false;     // has the keyboard
  bool take_keyboard = false;
  bool was_busy = false;
  bool was_waiting = false;         // the script waited in input() in the last frame
  bool was_secret = false;          // and what was typed was not shown
  bool reply_erased = false;        // since the field was last drawn
  bool wants_keyboard = false;      // the script waits, and something is still being typed elsewhere
  int next_frame_in = 0;            // milliseconds until the keyboard may be taken; 0: no frame is due without an event
  std::optional<double> typed_at;   // when a character was last typed in any field
  std::string prompt;               // written before the field while a script runs
  bool tab_pressed = false;
  std::optional<ConsoleEdit> edit;  // to be made in the field
  std::string searched;             // Ctrl+R: the searched text, and the entry found last
  std::optional<std::size_t> search_at;

  std::uint64_t ticket = 0;          // of the newest question
  std::uint64_t judged = 0;          // ticket of an open question for completeness; 0: none
  std::string judged_text;           // the text of that question
  std::uint64_t completed = 0;       // ticket of a question for completions; 0: none
  std::string completed_text;        // the text of that question
  std::size_t completed_cursor = 0;  // and its cursor
};

[[nodiscard]] float console_input_height(const ConsoleInputState& state, const HostSession& host);
// Call every frame, also while the panel is hidden: when a script begins to wait for a line, the panel comes up with the
// keyboard.
void follow_waiting_script(const FrameContext& context, ConsoleInputState& state);
void draw_console_input(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
