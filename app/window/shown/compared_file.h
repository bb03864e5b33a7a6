// ComparedFile: the tensor file whose tensors are compared with the selected one. It is opened as a task and stays mapped, like a
// shown file, but is not shown: the tensors on the screen are others.
// thread: UI.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "app/models/values/compared_sides.h"
#include "app/window/host/memory_readers.h"
#include "core/compare/snapshot_comparison.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {

struct ApplicationParts;

class ComparedFile {
 public:
  void open(const std::string& path, ApplicationParts& parts);  // in place of the one that is open
  void close(ApplicationParts& parts);
  // For the selected tensor; another one is compared with the file's tensor of its name.
  void choose(std::uint32_t tensor) { tensor_ = tensor; }
  // Call once a frame: chooses the tensor for the selected one, and looks now and then whether the file has changed.
  void follow(const std::string& selected_name, ApplicationParts& parts);
  // The chosen tensor as B; nothing while there is none.
  void fill(ComparedSides& sides, core::SnapshotTensor& of_b) const;

  [[nodiscard]] bool is_chosen() const { return !path_.empty(); }  // open, or being opened
  // For work that wants to know what has become of it; null: it is not open.
  [[nodiscard]] const std::shared_ptr<const core::TensorFile>& file() const { return file_; }
  void note(const std::shared_ptr<const core::TensorFile>& file, core::SinceOpened since);

 private:
  void look_for_changes(ApplicationParts& parts);

  std::string path_;           // "": there is none
  std::uint64_t opening_ = 0;  // the task that opens it; 0: it is open
  std::shared_ptr<const core::TensorFile> file_;
  core::SnapshotPtr snapshot_;
  MemoryReaders memory_;
  std::string chosen_for_;  // the selected tensor when tensor_ was chosen
  std::uint32_t tensor_ = core::kNone32;
  core::SinceOpened since_ = core::SinceOpened::unchanged;
  std::chrono::steady_clock::time_point looked_at_;
};

}  // namespace dlscope::app
