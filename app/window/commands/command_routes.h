// Which part carries out which command. One visit: a command without a route does not compile.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void carry_out(const Command& command, ApplicationParts& parts);

}  // namespace dlscope::app
