// Calling foreign deleters, and the exceptions they may leave pending.
// thread: GIL held.
#pragma once

#include "core/base/address.h"

namespace dlscope::embed {

// No exception is pending on the way in: deleters may run Python code, which must not see one.
void run_deleter(core::Address deleter, core::Address managed);

enum class ForeignCall : unsigned char { deleter, destructor, buffer };
// Turns the exception that such a call left pending into an event. Nothing can be broken off where one gives memory back: a Stop that came inside is
// asked for once more, and arrives when Python runs again.
[[gnu::cold]] void note_pending_exception(ForeignCall call);

}  // namespace dlscope::embed
