// The console's field while a script runs: a line for its input(), shown or, as for a password, not.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ReplyInput {
  std::string text;            // as typed
  std::string prompt;          // written before the field
  bool active = false;         // has the keyboard
  bool take_keyboard = false;  // in the next frame
  bool was_secret = false;     // what was typed was not shown in the last frame
  bool erased = false;         // since the field was last drawn
  bool for_question = false;   // the script waited for a line while this was typed
};

// Call every frame, also while the field is hidden. What was typed for a secret line is neither shown nor offered when that is no
// longer waited for; nothing is, when the run is over, but what was typed while a line of Python ran that did not wait for it.
void forget_reply(const FrameContext& context, ReplyInput& reply);
void draw_reply_input(const FrameContext& context, ReplyInput& reply, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
