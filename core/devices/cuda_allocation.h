// CudaAllocation: memory that dlscope itself allocated through the CUDA driver; freed when this goes. As long as it lives, it keeps the
// device's primary context, which it lies in.
// thread: any.
#pragma once

#include <cstddef>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_driver.h"
#include "core/tensor/device_id.h"

namespace dlscope::core {

class CudaAllocation {
 public:
  // On cuda:N, cuda_host:N (pinned) or cuda_managed:N. Initialises the driver and makes the device's context where the program has not:
  // somebody asked for memory there. Fails in words: no driver, no such device, no room (with what is free).
  [[nodiscard]] static Result<CudaAllocation> make(DeviceId device, std::size_t bytes);
  // Waits for what the device still does with the memory. Errors are nobody's: the context may be gone, and the memory with it.
  ~CudaAllocation();
  CudaAllocation(CudaAllocation&& other) noexcept;
  CudaAllocation& operator=(CudaAllocation&&) = delete;

  [[nodiscard]] Address address() const { return address_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  CudaAllocation(CudaDriver driver, int ordinal) : driver_(std::move(driver)), ordinal_(ordinal) {}
  [[nodiscard]] Result<void> allocate(DeviceId device, std::size_t bytes);

  CudaDriver driver_;
  CudaContext context_ = nullptr;  // retained; null: moved from, or never had
  int ordinal_;
  bool is_pinned_ = false;
  Address address_ = 0;
};

}  // namespace dlscope::core
