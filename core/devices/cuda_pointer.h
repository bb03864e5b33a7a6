// What the CUDA driver says about an address. Needs no context and does not touch the memory.
// thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_driver.h"
#include "core/tensor/device_id.h"

namespace dlscope::core {

enum class CudaMemory : std::uint8_t {
  unknown_to_driver,  // ordinary host memory, not registered with CUDA; or no memory at all
  device,
  pinned,   // host memory, page-locked or registered
  managed,  // migrates between host and device on access
};

struct CudaPointer {
  CudaMemory memory = CudaMemory::unknown_to_driver;
  std::int32_t ordinal = -1;            // of the device it belongs to; -1: the driver names none
  std::optional<ByteRange> allocation;  // the whole allocation that contains it; nullopt: the driver does not say
  std::uint64_t buffer_id = 0;          // unique among the process's allocations; 0: the driver does not say
};

// Fails with a driver older than CUDA 11, and after an error that made the context unusable.
[[nodiscard]] Result<CudaPointer> look_up_cuda_pointer(const CudaDriver& driver, Address address);

// DLPack's device for such memory: cuda:1, cuda_host:0, cuda_managed:0; nullopt for unknown_to_driver.
[[nodiscard]] std::optional<DeviceId> device_of(const CudaPointer& pointer);
// "memory of cuda:1", "pinned host memory", "managed memory of cuda:0", "no memory that the driver knows".
[[nodiscard]] std::string pointer_text(const CudaPointer& pointer);

}  // namespace dlscope::core
