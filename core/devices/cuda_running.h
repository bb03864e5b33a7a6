// CudaTransfer::Running: scope guard that every call of a CudaTransfer uses. Private to the files of CudaTransfer.
#pragma once

#include <functional>
#include <utility>

#include "core/devices/cuda_transfer.h"

namespace dlscope::core {

// Makes the device's context current, and puts the calling thread into relaxed capture mode, in which its calls do not invalidate
// a CUDA graph that the program is capturing.
class CudaTransfer::Running {
 public:
  [[nodiscard]] static Result<Running> enter(const CudaTransfer& transfer) {
    auto scope = CudaScope::enter(transfer.driver_, transfer.ordinal_);
    if (!scope) return std::unexpected(scope.error());
    return Running(transfer, std::move(*scope));
  }
  ~Running() {
    if (transfer_ == nullptr) return;
    // After an error, copies that use our buffers may still be running: wait for them.
    if (!finished_ && transfer_->stream_ != nullptr)
      transfer_->may_be_running_ = transfer_->driver_.entries().stream_synchronize(transfer_->stream_) != kCudaSuccess;
    if (is_relaxed_) transfer_->driver_.entries().exchange_capture_mode(&mode_);
  }
  Running(Running&& other) noexcept
      : transfer_(std::exchange(other.transfer_, nullptr)),
        scope_(std::move(other.scope_)),
        mode_(other.mode_),
        is_relaxed_(other.is_relaxed_),
        finished_(other.finished_) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  void finished() { finished_ = true; }
  // Calls `goes_on`, which may run the program's code, with the thread's own context and capture mode; cancelled where it returns
  // false. The copies that are under way go on meanwhile.
  [[nodiscard]] Result<void> ask(const std::function<bool()>& goes_on) {
    const CudaEntries& e = transfer_->driver_.entries();
    if (is_relaxed_) e.exchange_capture_mode(&mode_);
    const Result<bool> answer = scope_.outside(goes_on);
    if (is_relaxed_) e.exchange_capture_mode(&mode_);
    if (!answer) return std::unexpected(answer.error());
    return *answer ? Result<void>() : fail(ErrorKind::cancelled, "the copy was stopped");
  }

 private:
  Running(const CudaTransfer& transfer, CudaScope scope) : transfer_(&transfer), scope_(std::move(scope)) {
    is_relaxed_ = transfer.driver_.entries().exchange_capture_mode(&mode_) == kCudaSuccess;
  }
  const CudaTransfer* transfer_;
  CudaScope scope_;
  static constexpr int kRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
  int mode_ = kRelaxed;               // after the exchange: the thread's previous mode
  bool is_relaxed_ = false;
  bool finished_ = false;
};

}  // namespace dlscope::core
