// A file of tensors that the window shows in the place of the script's tensors. It is mapped into this process as long as anything
// may read its values; no Python has it, so nothing about its tensors is ever asked of the host: what reads values runs here.
// thread: UI, but for opening.
#pragma once

#include <memory>
#include <string>

#include "app/window/memory_readers.h"
#include "core/base/result.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {

struct ApplicationParts;

struct OpenedFile {
  std::string path;
  MemoryReaders memory;
};

// Opens it in the background and shows its tensors; a notice says what came of it. Nothing in the file is run.
void open_tensor_file(const std::string& path, ApplicationParts& parts);
// The same, of one that is open already; `memory` reads it.
void show_tensor_file(const std::string& path, core::SnapshotPtr snapshot, MemoryReaders memory, ApplicationParts& parts);
// The script's tensors are shown again, as they were last seen.
void leave_tensor_file(ApplicationParts& parts);

}  // namespace dlscope::app
