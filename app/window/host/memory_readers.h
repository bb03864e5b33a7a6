// MemoryReaders: readers of the memory that tensors lie in: the script's, its devices' or a mapped file's. Pages may never arrive
// (disk, network) and a device may be busy, so every read has a deadline. Frames wait 2 ms and then show the bytes they had
// before; workers wait 1 s, for a device 30 s.
// thread: UI; what it hands out is for any.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "core/inventory/snapshot.h"
#include "core/memory/deadline_reader.h"

namespace dlscope::app {

class MemoryReaders {
 public:
  using OpenDevice = std::function<std::shared_ptr<core::MemoryReader>(std::int32_t ordinal)>;
  // pages: of that memory. late: called from another thread when a read that a frame did not wait for has finished. open_device: makes a reader of a
  // CUDA device's memory, for show(); may be empty.
  void read(std::shared_ptr<core::MemoryReader> memory, std::shared_ptr<const core::PageFacts> pages, std::function<void()> late,
            OpenDevice open_device = {});
  // Also reads the memory of the devices that these tensors lie on.
  void show(const core::Snapshot& snapshot);
  // Uses only this reader, without deadlines: for off-screen pictures and tests.
  void read_with(std::shared_ptr<core::MemoryReader> reader);
  void forget() { read_with(nullptr); }

  // Null: there is nothing to read.
  [[nodiscard]] const std::shared_ptr<core::MemoryReader>& for_workers() const { return for_workers_; }
  [[nodiscard]] const core::MemoryReader* for_frames() const { return for_frames_ ? for_frames_.get() : for_workers_.get(); }
  // Milliseconds until a frame should look again; 0: nothing is awaited.
  [[nodiscard]] int next_look_in() const;

 private:
  struct WithDeadlines {
    std::shared_ptr<core::DeadlineReader> for_workers, for_frames;
  };
  [[nodiscard]] WithDeadlines with_deadlines(std::shared_ptr<core::MemoryReader> memory, std::chrono::milliseconds give_up,
                                             std::shared_ptr<const core::PageFacts> pages) const;

  std::function<void()> late_;
  OpenDevice open_device_;
  WithDeadlines host_;
  std::map<std::int32_t, WithDeadlines> devices_;  // by ordinal
  std::shared_ptr<core::MemoryReader> for_workers_, for_frames_;
};

}  // namespace dlscope::app
