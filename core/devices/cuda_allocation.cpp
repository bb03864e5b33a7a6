#include "core/devices/cuda_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlscope::core {
namespace {

constexpr std::int32_t kCuda = 2, kCudaHost = 3, kCudaManaged = 13;  // DLDeviceType
constexpr unsigned kAttachGlobal = 1;                                // CU_MEM_ATTACH_GLOBAL

}  // namespace

Result<CudaAllocation> CudaAllocation::make(DeviceId device, std::size_t bytes) {
  if (device.type != kCuda && device.type != kCudaHost && device.type != kCudaManaged)
    return fail(ErrorKind::unsupported, fmt::format("the CUDA driver has no memory on {}", device_name(device)));
  auto driver = CudaDriver::open(CudaInit::initialise);
  if (!driver) return std::unexpected(driver.error());
  if (device.id < 0 || device.id >= driver->device_count())
    return fail(ErrorKind::invalid, fmt::format("there is no {}: the CUDA driver has {} device{}", device_name(device),
                                                driver->device_count(), driver->device_count() == 1 ? "" : "s"));
  CudaAllocation made(std::move(*driver), device.id);
  if (auto done = made.allocate(device, bytes); !done) return std::unexpected(done.error());
  return made;
}

Result<void> CudaAllocation::allocate(DeviceId device, std::size_t bytes) {
  const auto scope = CudaScope::enter(driver_, ordinal_, CudaContextUse::may_make);
  if (!scope) return std::unexpected(scope.error());
  const CudaEntries& e = driver_.entries();
  int number = 0;
  if (const int error = e.device_get(&number, ordinal_)) return driver_.failed(device_name(device), error);
  if (const int error = e.primary_context_retain(&context_, number)) {
    context_ = nullptr;
    return driver_.failed("the context of " + device_name(device), error);
  }
  const std::size_t least = std::max<std::size_t>(bytes, 1);
  int error = kCudaSuccess;
  if (device.type == kCudaHost) {
    void* memory = nullptr;
    error = e.pinned_allocate(&memory, least, 0);
    address_ = reinterpret_cast<Address>(memory);
    is_pinned_ = true;
  } else {
    error = device.type == kCuda ? e.device_allocate(&address_, least) : e.managed_allocate(&address_, least, kAttachGlobal);
  }
  if (error == kCudaSuccess) return {};
  address_ = 0;
  std::size_t free = 0, total = 0;
  if (error == kCudaOutOfMemory && device.type == kCuda && e.memory_info(&free, &total) == kCudaSuccess)
    return fail(ErrorKind::environment,
                fmt::format("{} bytes do not fit on {}: {} of {} are free there", bytes, device_name(device), free, total));
  return driver_.failed(fmt::format("allocating {} bytes on {}", bytes, device_name(device)), error);
}

CudaAllocation::~CudaAllocation() {
  if (context_ == nullptr) return;
  const CudaEntries& e = driver_.entries();
  if (e.context_push(context_) == kCudaSuccess) {
    if (address_ != 0) (void)(is_pinned_ ? e.pinned_free(reinterpret_cast<void*>(address_)) : e.device_free(address_));
    CudaContext popped = nullptr;
    e.context_pop(&popped);
  }
  int device = 0;
  if (e.device_get(&device, ordinal_) == kCudaSuccess) e.primary_context_release(device);
}

CudaAllocation::CudaAllocation(CudaAllocation&& other) noexcept
    : driver_(std::move(other.driver_)),
      context_(std::exchange(other.context_, nullptr)),
      ordinal_(other.ordinal_),
      is_pinned_(other.is_pinned_),
      address_(std::exchange(other.address_, 0)) {}

}  // namespace dlscope::core
