// Compares the values of the selected tensor with those of the one compared with it: in a task of the host, or of the viewer
// itself where the tensors are a file's. The result goes to the compare view.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void compare_values(const command::CompareValues& compare, ApplicationParts& parts);

}  // namespace dlscope::app
