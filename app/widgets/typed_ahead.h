// Fields that come, go and are emptied while somebody types: SetKeyboardFocusHere() gives a field the keyboard two frames later, and
// what is typed until then would be lost.
#pragma once

#include <string_view>

namespace dlscope::app {

// Before a text field: it takes the keyboard in this frame, with what is typed in it.
void take_keyboard_now(const char* label);
// As if it had been typed before what is typed in this frame.
void type_first(std::string_view text);

}  // namespace dlscope::app
