// The slow work of the hex view: copying and searching. A short search is a job, a long one a task that is listed and can be
// cancelled. Results go into the view's state.
// thread: UI.
#pragma once

#include <memory>

#include "app/models/hex/hex_task.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// Has the host write the bytes and tells the view the outcome. When bytes changed, results computed from them are dropped and the
// tensors are scanned again.
void write_bytes(const ByteWrite& write, ApplicationParts& parts);
// reader null: no memory can be read, and the answer says so.
void work_on_bytes(HexTask task, std::shared_ptr<core::MemoryReader> reader, ApplicationParts& parts);

}  // namespace dlscope::app
