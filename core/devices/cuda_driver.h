// The few entry points of the CUDA driver a survey needs, looked up in libcuda.so.1. No CUDA header is needed: the driver's
// interface is stable, and these declarations repeat it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/result.h"
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

 private:
  CudaDriver() = default;
  [[nodiscard]] std::string words(int error) const;
  [[nodiscard]] std::optional<std::uint64_t> free_bytes(int device) const;

  using Context = struct OpaqueContext*;
  struct Entries {
    int (*init)(unsigned flags);
    int (*get_error_name)(int error, const char** name);
    int (*driver_get_version)(int* version);
    int (*device_get_count)(int* count);
    int (*device_get)(int* device, int ordinal);
    int (*device_get_name)(char* name, int size, int device);
    int (*device_total_mem)(std::size_t* bytes, int device);
    int (*primary_context_state)(int device, unsigned* flags, int* active);
    int (*primary_context_retain)(Context* context, int device);
    int (*primary_context_release)(int device);
    int (*context_push)(Context context);
    int (*context_pop)(Context* context);
    int (*memory_info)(std::size_t* free, std::size_t* total);
  };

  void* library_ = nullptr;
  Entries entries_{};
  int device_count_ = 0;
};

}  // namespace dlscope::core
