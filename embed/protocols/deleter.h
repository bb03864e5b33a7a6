// Calling foreign deleters, and what they may leave behind.
// thread: GIL held.
#pragma once

#include "core/base/address.h"

namespace dlscope::embed {

// No exception is pending on the way in: deleters may run Python code, which must not see one.
void run_deleter(core::Address deleter, core::Address managed);

enum class LeftBehindBy : unsigned char { deleter, destructor, buffer };
// Turns the pending exception into an event. Nothing can be broken off where one gives memory back: a Stop that came inside is
// asked for once more, and arrives when Python runs again.
[[gnu::cold]] void note_left_behind(LeftBehindBy whom);

}  // namespace dlscope::embed
