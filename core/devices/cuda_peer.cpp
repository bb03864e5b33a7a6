#include "core/devices/cuda_peer.h"

#include <dlfcn.h>

namespace dlscope::core {

// The only function that is looked up apart: everything else works with a driver that lacks it.
Result<bool> can_access_peer(const CudaDriver& driver, int ordinal, int peer) {
  using CanAccess = int (*)(int* can, int device, int peer);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  const auto ask = library != nullptr ? reinterpret_cast<CanAccess>(dlsym(library, "cuDeviceCanAccessPeer")) : nullptr;
  int device = 0, other = 0, can = 0, error = kCudaSuccess;
  if (ask != nullptr) {
    error = driver.entries().device_get(&device, ordinal);
    if (error == kCudaSuccess) error = driver.entries().device_get(&other, peer);
    if (error == kCudaSuccess) error = ask(&can, device, other);
  }
  if (library != nullptr) dlclose(library);
  if (ask == nullptr) return fail(ErrorKind::unsupported, "the driver cannot say");
  if (error != kCudaSuccess) return driver.failed("asking for peer access", error);
  return can != 0;
}

}  // namespace dlscope::core
