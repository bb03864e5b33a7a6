// CudaDriver: the driver library libcuda.so.1, looked up at run time, and what can be asked of it without a context.
#pragma once

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
  // Fails with words when the library is not there (or, with only_if_initialised, not loaded), is too old, or does not initialise.
  [[nodiscard]] static Result<CudaDriver> open(CudaLook look);
  ~CudaDriver();
  CudaDriver(CudaDriver&& other) noexcept;
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  [[nodiscard]] int device_count() const { return device_count_; }
  [[nodiscard]] std::string version() const;  // "12.4": the newest CUDA the driver serves
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

// What to do where the program has no primary context on a device. Making one costs hundreds of megabytes of the device, and the
// program's first use of it its time: only for somebody who asked for memory there.
enum class CudaContextUse : std::uint8_t { only_active, may_make };

// The primary context of a device, current in this thread as long as this lives.
// thread: made and destroyed on one.
class CudaScope {
 public:
  // `driver` must outlive it. Fails in words when the program uses no primary context on this device and none may be made.
  [[nodiscard]] static Result<CudaScope> enter(const CudaDriver& driver, int ordinal,
                                               CudaContextUse use = CudaContextUse::only_active);
  ~CudaScope();
  CudaScope(CudaScope&& other) noexcept;
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;
  [[nodiscard]] CudaContext context() const { return context_; }

 private:
  CudaScope(const CudaDriver& driver, int device, CudaContext context) : driver_(&driver), device_(device), context_(context) {}
  const CudaDriver* driver_;  // null: moved from
  int device_;
  CudaContext context_;
};

// The program is capturing a graph that other work on its default stream would break.
[[nodiscard]] bool captures_graph(const CudaDriver& driver, int ordinal);

// `stream`, the program's or ours, goes on only when the device's legacy default stream has come as far as it is now.
// Fails in words: no active context, no such stream there.
[[nodiscard]] Result<void> wait_for_default_stream(const CudaDriver& driver, int ordinal, CudaStream stream);

}  // namespace dlscope::core
