// What is done in the host to the selected tensor: its memory held and let go, its values searched. Each becomes a task in the list
// and ends with a notice that says what came of it.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void hold_memory(const command::HoldMemory& hold, ApplicationParts& parts);
void release_memory(ApplicationParts& parts);
void search_values(const command::SearchValues& search, ApplicationParts& parts);

}  // namespace dlscope::app
