// Records in the report that a function did not accept an object.
// thread: GIL held.
#pragma once

#include <string_view>

#include "embed/python_api.h"

namespace dlscope::embed {

// Notes that `function` did not take the object, with the pending exception's words. The exception stays pending, and no code of
// the user's runs: of an exception whose message is not a plain text only the type is noted. Nothing for an interrupt, and for a
// capsule: embed/protocols/capsule_watch.h notes those that are watched.
void note_refusal(std::string_view function, PyObject* object);

}  // namespace dlscope::embed
