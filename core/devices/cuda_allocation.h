// CudaAllocation: owns memory that dlscope allocated through the CUDA driver,
// and a reference to the device's primary context, in which the memory lies.
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
  // Allocates on cuda:N, cuda_host:N (pinned) or cuda_managed:N. Initialises the driver and creates the device's context if the
  // program has not, because the caller wants memory there. Fails if there is no driver, no such device, or not enough memory
  // (the message says how much is free).
  [[nodiscard]] static Result<CudaAllocation> make(DeviceId device, std::size_t bytes);
  // Blocks until the device no longer uses the memory, and frees it.
  // Ignores errors: the context, and the memory with it, may be gone.
  ~CudaAllocation();
  CudaAllocation(CudaAllocation&& other) noexcept;
  CudaAllocation& operator=(CudaAllocation&&) = delete;

  [[nodiscard]] Address address() const { return address_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  CudaAllocation(CudaDriver driver, int ordinal) : driver_(std::move(driver)), ordinal_(ordinal) {}
  [[nodiscard]] Result<void> allocate(DeviceId device, std::size_t bytes);

  CudaDriver driver_;
  CudaContext context_ = nullptr;  // retained; null: moved from, or not obtained
  int ordinal_;
  bool is_pinned_ = false;
  Address address_ = 0;
};

}  // namespace dlscope::core
