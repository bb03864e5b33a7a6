// CudaDriver: the CUDA driver library (libcuda.so.1), loaded at run time, and what can be asked of it without a context.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/devices/cuda_entries.h"
#include "core/devices/device_survey.h"

namespace dlscope::core {

// A loaded driver. thread: any.
class CudaDriver {
 public:
  // Fails when the library is missing (or, with only_if_initialised, not loaded), older than CUDA 11, or fails to initialise.
  [[nodiscard]] static Result<CudaDriver> open(CudaInit init);
  ~CudaDriver();
  CudaDriver(CudaDriver&& other) noexcept;
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  [[nodiscard]] int device_count() const { return device_count_; }
  [[nodiscard]] std::string version() const;  // "12.4": the newest CUDA version that the driver supports
  [[nodiscard]] Result<SurveyedDevice> describe(int ordinal) const;

  [[nodiscard]] const CudaEntries& entries() const { return entries_; }
  [[nodiscard]] std::string error_name(int error) const;  // "CUDA_ERROR_OUT_OF_MEMORY"
  // An Error for a call that failed: "copying from cuda:0 failed: CUDA_ERROR_ILLEGAL_ADDRESS".
  [[nodiscard]] std::unexpected<Error> failed(std::string_view what, int error) const;

 private:
  CudaDriver() = default;
  [[nodiscard]] std::optional<std::uint64_t> free_bytes(int ordinal) const;

  void* library_ = nullptr;
  CudaEntries entries_{};
  int device_count_ = 0;
};

// What to do if the program has no primary context on a device. Creating one takes time and hundreds of megabytes of device
// memory, so may_make is only for code whose caller asked for memory on the device.
enum class CudaContextUse : std::uint8_t { only_active, may_make };

// Scope guard: makes the primary context of a device current in the calling thread.
// thread: created and destroyed on the same thread.
class CudaScope {
 public:
  // `driver` must outlive the scope. Fails when the program has no active primary context on this device and none may be made.
  [[nodiscard]] static Result<CudaScope> enter(const CudaDriver& driver, int ordinal,
                                               CudaContextUse use = CudaContextUse::only_active);
  ~CudaScope();
  CudaScope(CudaScope&& other) noexcept;
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;
  [[nodiscard]] CudaContext context() const { return context_; }
  // Calls code that may be the program's own (a signal handler): meanwhile the thread has the context that it had before the
  // scope. Fails where ours cannot be made current again; then the scope is over.
  [[nodiscard]] Result<bool> outside(const std::function<bool()>& call);

 private:
  CudaScope(const CudaDriver& driver, int device, CudaContext context) : driver_(&driver), device_(device), context_(context) {}
  const CudaDriver* driver_;  // null: moved from
  int device_;
  CudaContext context_;
};

// Whether the program is capturing a CUDA graph in a mode in which using the default stream would invalidate the capture.
[[nodiscard]] bool captures_graph(const CudaDriver& driver, int ordinal);

// Makes later work on `stream` (the program's or our own) wait for all work now queued on the device's legacy default stream.
// Does not block. Fails when there is no active context or no such stream.
[[nodiscard]] Result<void> wait_for_default_stream(const CudaDriver& driver, int ordinal, CudaStream stream);
// The other way round: makes later work on the default stream wait for all work now queued on `stream`. Fails as well while the
// program captures a graph, which that would invalidate.
[[nodiscard]] Result<void> have_default_stream_wait(const CudaDriver& driver, int ordinal, CudaStream stream);

}  // namespace dlscope::core
