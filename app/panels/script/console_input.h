// The input line below the output: Python while nothing runs, the script's input while it runs. A line of Python that runs for
// less than a blink leaves the field as it is: what is typed meanwhile is the next one.
#pragma once

#include <optional>

#include "app/models/actions/commands.h"
#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/python_input.h"
#include "app/panels/script/reply_input.h"

namespace dlscope::app {

struct ConsoleInputState {
  PythonInput python;
  ReplyInput reply;
  bool was_busy = false;           // the last frame drew the reply
  double busy_since = -1;          // since when a line of Python runs; negative: none does
  bool was_waiting = false;        // the script waited in input() in the last frame
  bool wants_keyboard = false;     // the script waits, and something is still being typed elsewhere
  int next_frame_in = 0;           // milliseconds until the keyboard may be taken; 0: no frame is due without an event
  std::optional<double> typed_at;  // when a character was last typed in any field

  [[nodiscard]] bool active() const { return python.active || reply.active; }  // has the keyboard
};

[[nodiscard]] float console_input_height(const ConsoleInputState& state, const HostSession& host);
// Call every frame, also while the panel is hidden: when a script begins to wait for a line, the panel comes up with the
// keyboard.
void follow_waiting_script(const FrameContext& context, ConsoleInputState& state);
void draw_console_input(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
