// Calls foreign deleters and handles the exceptions they may leave pending.
// thread: GIL held.
#pragma once

#include "core/base/address.h"

namespace dlscope::embed {

// No exception may be pending when called: deleters may run Python code, which must not see one. A thread that an ending
// interpreter ends inside sleeps until the process ends (embed/foreign_calls.cpp).
void run_deleter(core::Address deleter, core::Address managed);

enum class ForeignCall : unsigned char { deleter, destructor, buffer };
// Turns the exception that such a call left pending into an event. Releasing memory cannot be interrupted: a Stop that arrived
// inside is requested again, and takes effect when Python runs again.
[[gnu::cold]] void note_pending_exception(ForeignCall call);

}  // namespace dlscope::embed
