// Leaving the window: what would end with it, and was not said to be over, is asked about first.
#pragma once

#include "app/window/application_parts.h"

namespace dlscope::app {

// The person wants to leave. While code runs or stands at a stop, a notice asks first; a second request, by its button or any other
// way, is the answer. Then ScriptDocument::leave(): unsaved text is stored, or asked about.
void leave_window(ApplicationParts& parts);

}  // namespace dlscope::app
