// The functions of the driver but those of streams and events, with its names and signatures. FAKE_CUDA_OLD leaves out what a
// driver of CUDA 10 has not.
#include <cstring>

#include "enter.h"
#include "kernels.h"

using namespace fake_cuda;  // NOLINT: this file is the library's face

namespace {

constexpr int kMaxPitch = 0x7fffffff;

struct Copy2D {  // CUDA_MEMCPY2D
  std::size_t source_x, source_y;
  unsigned source_type;
  const void* source_host;
  std::uint64_t source_device;
  void* source_array;
  std::size_t source_pitch, target_x, target_y;
  unsigned target_type;
  void* target_host;
  std::uint64_t target_device;
  void* target_array;
  std::size_t target_pitch, width, height;
};
constexpr unsigned kHost = 1, kDevice = 2;

bool has_device(Driver& driver, int device) { return device >= 0 && device < driver.devices; }

// Copies now or, on a stream, when somebody waits.
int copy_rows(Driver& driver, Stream* stream, std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch,
              std::size_t width, std::size_t rows, const void* host) {
  const Allocation* const pinned = driver.find(reinterpret_cast<std::uint64_t>(host));
  if (stream != nullptr && (pinned == nullptr || pinned->kind == Kind::device)) ++driver.pageable;
  const auto copy = [=] {
    for (std::size_t row = 0; row < rows; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
  };
  if (stream != nullptr) {
    Driver::put(*stream, copy);
  } else {
    copy();
  }
  return kSuccess;
}

// One attribute as the driver writes it; false: this driver does not know it.
bool put_attribute(const Driver& driver, int attribute, const Allocation* found, void* out) {
  const bool known = driver.version >= 11000 || attribute <= 10;
  if (!known) return false;
  switch (attribute) {
    case 1: {  // CONTEXT
      void* const context = found != nullptr ? driver.contexts[static_cast<std::size_t>(found->device)].get() : nullptr;
      std::memcpy(out, &context, sizeof context);
      return true;
    }
    case 2: {  // MEMORY_TYPE
      const unsigned type = found == nullptr ? 0 : found->kind == Kind::pinned ? kHost : kDevice;
      std::memcpy(out, &type, sizeof type);
      return true;
    }
    case 7: {  // BUFFER_ID
      const std::uint64_t id = found != nullptr ? found->buffer_id : 0;
      std::memcpy(out, &id, sizeof id);
      return true;
    }
    case 8: {  // IS_MANAGED
      const unsigned managed = found != nullptr && found->kind == Kind::managed ? 1 : 0;
      std::memcpy(out, &managed, sizeof managed);
      return true;
    }
    case 9: {  // DEVICE_ORDINAL
      const int ordinal = found != nullptr ? found->device : -2;
      std::memcpy(out, &ordinal, sizeof ordinal);
      return true;
    }
    case 11: {  // RANGE_START_ADDR
      const std::uint64_t begin = found != nullptr ? found->begin : 0;
      std::memcpy(out, &begin, sizeof begin);
      return true;
    }
    case 12: {  // RANGE_SIZE
      const std::size_t bytes = found != nullptr ? found->bytes : 0;
      std::memcpy(out, &bytes, sizeof bytes);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  FAKE_ENTER("cuInit");
  if (driver.devices == 0) return kNoDevice;
  driver.initialised = true;
  return kSuccess;
}

int cuGetErrorName(int error, const char** name) {
  struct Row {
    int error;
    const char* name;
  };
  constexpr Row kNames[] = {{kSuccess, "CUDA_SUCCESS"},
                            {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
                            {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                            {kNotInitialised, "CUDA_ERROR_NOT_INITIALIZED"},
                            {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
                            {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
                            {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
                            {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
                            {kNotReady, "CUDA_ERROR_NOT_READY"},
                            {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
                            {kNotFound, "CUDA_ERROR_NOT_FOUND"},
                            {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                            {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"}};
  *name = nullptr;
  for (const Row& row : kNames) {
    if (row.error == error) *name = row.name;
  }
  return *name != nullptr ? kSuccess : kInvalidValue;
}

int cuDriverGetVersion(int* version) {
  FAKE_ENTER("cuDriverGetVersion");
  *version = driver.version;
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  FAKE_ENTER("cuDeviceGetCount");
  *count = driver.devices;
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  FAKE_ENTER("cuDeviceGet");
  if (!has_device(driver, ordinal)) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

int cuDeviceGetName(char* name, int size, int device) {
  FAKE_ENTER("cuDeviceGetName");
  if (!has_device(driver, device)) return kInvalidDevice;
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
  return kSuccess;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  FAKE_ENTER("cuDeviceTotalMem_v2");
  if (!has_device(driver, device)) return kInvalidDevice;
  *bytes = std::size_t{8} << 30;
  return kSuccess;
}

// FAKE_CUDA_PEERS=0: the devices cannot reach each other.
int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  FAKE_ENTER("cuDeviceCanAccessPeer");
  if (!has_device(driver, device) || !has_device(driver, peer)) return kInvalidDevice;
  *can = device != peer && driver.peers ? 1 : 0;
  return kSuccess;
}

#ifndef FAKE_CUDA_OLD
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  FAKE_ENTER("cuDevicePrimaryCtxGetState");
  if (!has_device(driver, device)) return kInvalidDevice;
  *flags = 0;
  *active = driver.contexts[static_cast<std::size_t>(device)]->retained > 0 ? 1 : 0;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  FAKE_ENTER("cuDevicePrimaryCtxRetain");
  if (!has_device(driver, device)) return kInvalidDevice;
  Context& primary = *driver.contexts[static_cast<std::size_t>(device)];
  ++primary.retained;
  *context = &primary;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  FAKE_ENTER("cuDevicePrimaryCtxRelease_v2");
  if (!has_device(driver, device)) return kInvalidDevice;
  Context& primary = *driver.contexts[static_cast<std::size_t>(device)];
  if (primary.retained == 0) return kInvalidContext;
  --primary.retained;
  return kSuccess;
}
#endif

int cuCtxPushCurrent_v2(void* context) {
  FAKE_ENTER("cuCtxPushCurrent_v2");
  if (static_cast<Context*>(context)->retained == 0) return kContextIsDestroyed;
  current_contexts().push_back(static_cast<Context*>(context));
  return kSuccess;
}

int cuCtxPopCurrent_v2(void** context) {
  FAKE_ENTER("cuCtxPopCurrent_v2");
  if (current_contexts().empty()) return kInvalidContext;
  *context = current_contexts().back();
  current_contexts().pop_back();
  return kSuccess;
}

int cuCtxSynchronize() {
  FAKE_ENTER_CONTEXT("cuCtxSynchronize");
  driver.run_all();
  return kSuccess;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FAKE_ENTER_CONTEXT("cuMemGetInfo_v2");
  std::size_t used = 0;
  for (const auto& [begin, allocation] : driver.allocations)
    used += allocation.kind == Kind::device && allocation.device == context->device ? allocation.bytes : 0;
  *total = std::size_t{8} << 30;
  *free = *total - used;
  return kSuccess;
}

int cuPointerGetAttributes(unsigned count, int* attributes, void** data, std::uint64_t address) {
  FAKE_ENTER("cuPointerGetAttributes");
  const Allocation* const found = driver.find(address);
  for (unsigned i = 0; i < count; ++i) {
    if (!put_attribute(driver, attributes[i], found, data[i])) return kInvalidValue;
  }
  return kSuccess;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  FAKE_ENTER_CONTEXT("cuMemAlloc_v2");
  if (bytes == 0) return kInvalidValue;
  *address = driver.allocate(Kind::device, context->device, bytes);
  return *address != 0 ? kSuccess : kOutOfMemory;
}

int cuMemFree_v2(std::uint64_t address) {
  FAKE_ENTER_CONTEXT("cuMemFree_v2");
  const auto found = driver.allocations.find(address);
  if (found == driver.allocations.end() || found->second.kind == Kind::pinned) return kInvalidValue;
  driver.run_all();
  driver.free(address);
  return kSuccess;
}

int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  FAKE_ENTER_CONTEXT("cuMemHostAlloc");
  *memory = reinterpret_cast<void*>(driver.allocate(Kind::pinned, context->device, bytes));
  return *memory != nullptr ? kSuccess : kOutOfMemory;
}

int cuMemFreeHost(void* memory) {
  FAKE_ENTER_CONTEXT("cuMemFreeHost");
  const auto found = driver.allocations.find(reinterpret_cast<std::uint64_t>(memory));
  if (found == driver.allocations.end() || found->second.kind != Kind::pinned) return kInvalidValue;
  if (driver.pending() > 0) ++driver.freed_in_use;
  driver.run_all();
  driver.free(found->first);
  return kSuccess;
}

int cuMemAllocManaged(std::uint64_t* address, std::size_t bytes, unsigned) {
  FAKE_ENTER_CONTEXT("cuMemAllocManaged");
  *address = driver.allocate(Kind::managed, context->device, bytes);
  return *address != 0 ? kSuccess : kOutOfMemory;
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  FAKE_ENTER_CONTEXT("cuMemcpyHtoD_v2");
  std::byte* const target = driver.behind(to, bytes);
  if (target == nullptr) return kInvalidValue;
  return copy_rows(driver, nullptr, target, bytes, static_cast<const std::byte*>(from), bytes, bytes, 1, from);
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* handle) {
  FAKE_ENTER_CONTEXT("cuMemcpyHtoDAsync_v2");
  Stream* const stream = driver.stream_of(handle, *context);
  std::byte* const target = driver.behind(to, bytes);
  if (stream == nullptr) return kInvalidHandle;
  if (target == nullptr) return kInvalidValue;
  return copy_rows(driver, stream, target, bytes, static_cast<const std::byte*>(from), bytes, bytes, 1, from);
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* handle) {
  FAKE_ENTER_CONTEXT("cuMemcpyDtoHAsync_v2");
  Stream* const stream = driver.stream_of(handle, *context);
  const std::byte* const source = driver.behind(from, bytes);
  if (stream == nullptr) return kInvalidHandle;
  if (source == nullptr) return kInvalidValue;
  return copy_rows(driver, stream, static_cast<std::byte*>(to), bytes, source, bytes, bytes, 1, to);
}

int cuMemcpy2DAsync_v2(const Copy2D* copy, void* handle) {
  FAKE_ENTER_CONTEXT("cuMemcpy2DAsync_v2");
  Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr) return kInvalidHandle;
  if (copy->width > copy->source_pitch || copy->width > copy->target_pitch || copy->height == 0) return kInvalidValue;
  const bool to_host = copy->source_type == kDevice && copy->target_type == kHost;
  if (!to_host && (copy->source_type != kHost || copy->target_type != kDevice)) return kInvalidValue;
  const std::size_t pitch = to_host ? copy->source_pitch : copy->target_pitch;
  if (pitch > kMaxPitch) return kInvalidValue;
  std::byte* const on_device =
      driver.behind(to_host ? copy->source_device : copy->target_device, pitch * (copy->height - 1) + copy->width);
  if (on_device == nullptr) return kInvalidValue;
  if (to_host) {
    return copy_rows(driver, stream, static_cast<std::byte*>(copy->target_host), copy->target_pitch, on_device,
                     copy->source_pitch, copy->width, copy->height, copy->target_host);
  }
  return copy_rows(driver, stream, on_device, copy->target_pitch, static_cast<const std::byte*>(copy->source_host),
                   copy->source_pitch, copy->width, copy->height, copy->source_host);
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* handle) {
  FAKE_ENTER_CONTEXT("cuMemcpyDtoDAsync_v2");
  Stream* const stream = driver.stream_of(handle, *context);
  std::byte* const target = driver.behind(to, bytes);
  const std::byte* const source = driver.behind(from, bytes);
  if (stream == nullptr) return kInvalidHandle;
  if (target == nullptr || source == nullptr) return kInvalidValue;
  Driver::put(*stream, [=] { std::memcpy(target, source, bytes); });
  return kSuccess;
}

int cuMemcpyPeerAsync(std::uint64_t to, void* to_context, std::uint64_t from, void* from_context, std::size_t bytes,
                      void* handle) {
  FAKE_ENTER_CONTEXT("cuMemcpyPeerAsync");
  Stream* const stream = driver.stream_of(handle, *context);
  const Allocation *const target = driver.find(to), *const source = driver.find(from);
  if (stream == nullptr) return kInvalidHandle;
  if (driver.behind(to, bytes) == nullptr || driver.behind(from, bytes) == nullptr) return kInvalidValue;
  if (target->device != static_cast<Context*>(to_context)->device ||
      source->device != static_cast<Context*>(from_context)->device)
    return kInvalidContext;
  Driver::put(*stream, [&driver, to, from, bytes] { std::memcpy(driver.behind(to, bytes), driver.behind(from, bytes), bytes); });
  return kSuccess;
}

// A module is the image itself, a function one of kernels.cpp.
int cuModuleLoadData(void** module, const void* image) {
  FAKE_ENTER_CONTEXT("cuModuleLoadData");
  constexpr std::uint32_t kFatBinary = 0xba55ed50;
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic != kFatBinary) return kInvalidImage;
  ++driver.modules;
  *module = const_cast<void*>(image);
  return kSuccess;
}

int cuModuleUnload(void*) {
  FAKE_ENTER_CONTEXT("cuModuleUnload");
  --driver.modules;
  return kSuccess;
}

int cuModuleGetFunction(void** function, void*, const char* name) {
  FAKE_ENTER_CONTEXT("cuModuleGetFunction");
  *function = const_cast<Kernel*>(find_kernel(name));
  return *function != nullptr ? kSuccess : kNotFound;
}

int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void* handle, void** parameters, void**) {
  FAKE_ENTER_CONTEXT("cuLaunchKernel");
  Stream* const stream = driver.stream_of(handle, *context);
  if (stream == nullptr) return kInvalidHandle;
  if (blocks == 0 || threads == 0 || threads > 1024) return kInvalidValue;
  static_cast<const Kernel*>(function)->put(driver, *stream, parameters[0]);
  return kSuccess;
}

int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* handle) {
  FAKE_ENTER_CONTEXT("cuMemsetD8Async");
  Stream* const stream = driver.stream_of(handle, *context);
  std::byte* const target = driver.behind(to, bytes);
  if (stream == nullptr) return kInvalidHandle;
  if (target == nullptr) return kInvalidValue;
  Driver::put(*stream, [=] { std::memset(target, value, bytes); });
  return kSuccess;
}

}  // extern "C"
