// What takes long in the hex view: a search that is short in a job of its own, a long one as a task that is listed and can be cancelled;
// copying. What comes of it goes into the view's state.
// thread: UI.
#pragma once

#include <memory>

#include "app/models/hex/hex_task.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// Asks the host, tells the view what came of it, and has the tensors looked at again where bytes have changed: what was worked out of
// them is dropped.
void write_bytes(const ByteWrite& write, ApplicationParts& parts);
// reader null: nobody can be read, and the answer says so.
void work_on_bytes(HexTask task, std::shared_ptr<core::MemoryReader> reader, ApplicationParts& parts);

}  // namespace dlscope::app
