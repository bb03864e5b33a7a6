// The selected tensor, or a slice of it, as a file in the working folder, as a task with progress and Cancel.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void export_tensor(const command::ExportTensor& request, ApplicationParts& parts);

}  // namespace dlscope::app
