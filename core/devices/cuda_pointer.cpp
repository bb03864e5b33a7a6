#include "core/devices/cuda_pointer.h"

#include <array>
#include <cstddef>

namespace dlscope::core {
namespace {

// CUpointer_attribute
enum Attribute : int { kMemoryType = 2, kBufferId = 7, kIsManaged = 8, kDeviceOrdinal = 9, kRangeBegin = 11, kRangeBytes = 12 };
constexpr unsigned kHostMemory = 1, kDeviceMemory = 2;  // CUmemorytype

constexpr std::int32_t kCuda = 2, kCudaHost = 3, kCudaManaged = 13;  // DLDeviceType

}  // namespace

Result<CudaPointer> look_up_cuda_pointer(const CudaDriver& driver, Address address) {
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  std::uint64_t buffer_id = 0, begin = 0;
  std::size_t bytes = 0;
  std::array<int, 6> attributes{kMemoryType, kIsManaged, kDeviceOrdinal, kBufferId, kRangeBegin, kRangeBytes};
  std::array<void*, 6> values{&type, &managed, &ordinal, &buffer_id, &begin, &bytes};
  if (const int error = driver.entries().pointer_attributes(static_cast<unsigned>(attributes.size()), attributes.data(),
                                                            values.data(), address))
    return driver.failed("asking the CUDA driver about an address", error);
  CudaPointer out;
  if (managed != 0) {
    out.memory = CudaMemory::managed;
  } else if (type == kDeviceMemory) {
    out.memory = CudaMemory::device;
  } else if (type == kHostMemory) {
    out.memory = CudaMemory::pinned;
  } else {
    return out;
  }
  out.ordinal = ordinal >= 0 ? ordinal : -1;
  out.buffer_id = buffer_id;
  if (bytes != 0 && address - begin < bytes && begin + bytes > begin) out.allocation = ByteRange{begin, begin + bytes};
  return out;
}

std::optional<DeviceId> device_of(const CudaPointer& pointer) {
  const std::int32_t ordinal = pointer.ordinal < 0 ? 0 : pointer.ordinal;
  switch (pointer.memory) {
    case CudaMemory::device:
      return pointer.ordinal < 0 ? std::nullopt : std::optional(DeviceId{kCuda, ordinal});
    case CudaMemory::pinned:
      return DeviceId{kCudaHost, ordinal};
    case CudaMemory::managed:
      return DeviceId{kCudaManaged, ordinal};
    default:
      return std::nullopt;
  }
}

std::string pointer_text(const CudaPointer& pointer) {
  const std::string name =
      pointer.ordinal < 0 ? "a device that the driver does not identify" : device_name({kCuda, pointer.ordinal});
  switch (pointer.memory) {
    case CudaMemory::device:
      return "memory of " + name;
    case CudaMemory::pinned:
      return "pinned host memory";
    case CudaMemory::managed:
      return pointer.ordinal < 0 ? "managed memory" : "managed memory of " + name;
    default:
      return "no memory that the driver knows";
  }
}

}  // namespace dlscope::core
