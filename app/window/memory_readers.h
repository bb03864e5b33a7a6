// MemoryReaders: the readers of the memory that tensors lie in, the script's or a mapped file's. Its pages may never arrive (a disk, a
// network), so neither frames nor workers read without a deadline; frames wait a moment only, and show what they had.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "core/memory/deadline_reader.h"

namespace dlscope::app {

class MemoryReaders {
 public:
  // late: called from another thread when an answer has come that a frame did not wait for.
  void read(std::shared_ptr<core::MemoryReader> memory, std::function<void()> late) {
    for_workers_ = std::make_shared<core::DeadlineReader>(memory);
    core::DeadlineOptions options;
    options.patience = kFrameWaits;
    options.keep_last = true;
    options.late = std::move(late);
    for_frames_ = std::make_unique<core::DeadlineReader>(std::move(memory), std::move(options));
  }
  // Reads with this one alone: of a picture, which answers in time itself, or of a test.
  void read_with(std::shared_ptr<core::MemoryReader> reader) {
    for_workers_ = std::move(reader);
    for_frames_.reset();
  }
  void forget() { read_with(nullptr); }

  // Null: there is nothing to read.
  [[nodiscard]] const std::shared_ptr<core::MemoryReader>& for_workers() const { return for_workers_; }
  [[nodiscard]] const core::MemoryReader* for_frames() const { return for_frames_ ? for_frames_.get() : for_workers_.get(); }
  // Milliseconds until a frame should look again; 0: nothing is awaited.
  [[nodiscard]] int next_look_in() const { return for_frames_ && for_frames_->waits() ? kLookAgain : 0; }

 private:
  static constexpr std::chrono::milliseconds kFrameWaits{2};
  static constexpr int kLookAgain = 100;

  std::shared_ptr<core::MemoryReader> for_workers_;
  std::unique_ptr<core::DeadlineReader> for_frames_;
};

}  // namespace dlscope::app
