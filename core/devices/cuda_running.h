// CudaTransfer::Running: what every call of a transfer stands in. Only for the files of CudaTransfer.
#pragma once

#include <utility>

#include "core/devices/cuda_transfer.h"

namespace dlscope::core {

// The device's context, and the calling thread in a mode in which its calls do not break a graph that the program is capturing.
class CudaTransfer::Running {
 public:
  [[nodiscard]] static Result<Running> enter(const CudaTransfer& transfer) {
    auto scope = CudaScope::enter(transfer.driver_, transfer.ordinal_);
    if (!scope) return std::unexpected(scope.error());
    return Running(transfer, std::move(*scope));
  }
  ~Running() {
    if (transfer_ == nullptr) return;
    // An error leaves copies under way: they write into our buffers, and read from them.
    if (!finished_ && transfer_->stream_ != nullptr) transfer_->driver_.entries().stream_synchronize(transfer_->stream_);
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

 private:
  Running(const CudaTransfer& transfer, CudaScope scope) : transfer_(&transfer), scope_(std::move(scope)) {
    is_relaxed_ = transfer.driver_.entries().exchange_capture_mode(&mode_) == kCudaSuccess;
  }
  const CudaTransfer* transfer_;
  CudaScope scope_;
  static constexpr int kRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
  int mode_ = kRelaxed;               // the thread's own, once it is relaxed
  bool is_relaxed_ = false;
  bool finished_ = false;
};

}  // namespace dlscope::core
