// A tensor file that is shown in place of the script's tensors. It stays mapped in this process, and what was unpacked stays
// in memory, as long as anything may read its values. No Python has these tensors, so the host is never asked about them: all
// work on their values runs here.
// thread: UI; only the opening itself runs as a task.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/models/inspector/inspector_model.h"
#include "app/models/tensors/tensor_state.h"
#include "app/window/host/memory_readers.h"
#include "core/base/result.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {

struct ApplicationParts;

struct OpenedFile {
  std::string path;
  MemoryReaders memory;
  FileTensors tensors;
  Section said;  // what it says of itself; without fields: nothing
};

// What a task has read of a file.
struct ReadTensorFile {
  std::shared_ptr<const core::TensorFile> file;
  core::SnapshotPtr snapshot;
  std::shared_ptr<core::MemoryReader> memory;  // keeps the file mapped
};

// Opens it as a task, and calls `ended` with what was read; null: it was cancelled, or a notice says why it cannot be opened. Returns
// the task, `ended` is told which one. Nothing in the file is executed.
using TensorFileRead = std::function<void(std::uint64_t task, std::unique_ptr<ReadTensorFile> read)>;
std::uint64_t read_tensor_file(const std::string& path, ApplicationParts& parts, TensorFileRead ended);
// Readers of its values; `memory` keeps it mapped.
[[nodiscard]] MemoryReaders readers_of_file(std::shared_ptr<core::MemoryReader> memory, const ApplicationParts& parts);

// Opens it as a task, in place of one that is still being opened, and shows its tensors, or says in a notice why not. Nothing in
// the file is executed.
void open_tensor_file(const std::string& path, ApplicationParts& parts);
// The same for a file that is already open; `memory` reads it.
void show_tensor_file(const std::string& path, core::SnapshotPtr snapshot, MemoryReaders memory, ApplicationParts& parts,
                      const core::FileMetadata& metadata = {});
// Shows the script's tensors again, as they were last seen.
void leave_tensor_file(ApplicationParts& parts);

}  // namespace dlscope::app
