// The line at the bottom of the output: Python while nothing runs, input for the script while it does.
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
  std::string text;   // Python being typed, one or many lines
  std::string reply;  // what is being typed for the script's input()
  ConsoleHistory history;
  CompletionList completion;
  std::string said;  // "Python is busy ...", until the next key

  std::size_t cursor = 0;  // byte; as the input field last had it
  bool selecting = false;  // some of the text is selected
  bool active = false;     // has the keyboard
  bool take_keyboard = false;
  bool was_busy = false;
  bool was_waiting = false;         // the script stood in input()
  std::optional<double> typed_at;   // when a character was typed anywhere
  std::string prompt;               // shown before the field while a script runs
  bool tab_pressed = false;
  std::optional<ConsoleEdit> edit;  // to be put into the field
  std::string searched;             // Ctrl+R: the words, and where the last hit was
  std::optional<std::size_t> search_at;

  std::uint64_t ticket = 0;          // of the newest question
  std::uint64_t judged = 0;          // ticket of an "is it complete?"; 0: none is open
  std::string judged_text;           // the text it was asked for
  std::uint64_t completed = 0;       // ticket of a "what fits here?"
  std::string completed_text;        //
  std::size_t completed_cursor = 0;  //
};

[[nodiscard]] float console_input_height(const ConsoleInputState& state, bool busy);
// Every frame, also while the panel is hidden: a script that begins to wait for a line brings it up and gets the keyboard.
void follow_waiting_script(const FrameContext& context, ConsoleInputState& state);
void draw_console_input(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
