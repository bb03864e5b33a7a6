#include "core/devices/cuda_driver.h"

#include <dlfcn.h>

#include <utility>

namespace dlscope::core {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr int kSuccess = 0, kNotInitialised = 3, kNoDevice = 100;  // CUresult

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<CudaDriver> CudaDriver::open(CudaLook look) {
  const bool may_load = look == CudaLook::initialise;
  CudaDriver driver;
  driver.library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | (may_load ? 0 : RTLD_NOLOAD));
  if (driver.library_ == nullptr) {
    return fail(ErrorKind::not_found, may_load ? "no NVIDIA driver here (libcuda.so.1 cannot be loaded)"
                                               : "the program has not loaded the CUDA driver; it was not looked at");
  }
  Entries& e = driver.entries_;
  void* const lib = driver.library_;
  const bool complete = look_up(lib, "cuInit", e.init) && look_up(lib, "cuGetErrorName", e.get_error_name) &&
                        look_up(lib, "cuDriverGetVersion", e.driver_get_version) &&
                        look_up(lib, "cuDeviceGetCount", e.device_get_count) && look_up(lib, "cuDeviceGet", e.device_get) &&
                        look_up(lib, "cuDeviceGetName", e.device_get_name) &&
                        look_up(lib, "cuDeviceTotalMem_v2", e.device_total_mem) &&
                        look_up(lib, "cuDevicePrimaryCtxGetState", e.primary_context_state) &&
                        look_up(lib, "cuDevicePrimaryCtxRetain", e.primary_context_retain) &&
                        look_up(lib, "cuDevicePrimaryCtxRelease_v2", e.primary_context_release) &&
                        look_up(lib, "cuCtxPushCurrent_v2", e.context_push) &&
                        look_up(lib, "cuCtxPopCurrent_v2", e.context_pop) && look_up(lib, "cuMemGetInfo_v2", e.memory_info);
  if (!complete) return fail(ErrorKind::unsupported, "the NVIDIA driver is too old (CUDA 11 or newer is needed)");
  if (may_load) {
    if (const int error = e.init(0); error != kSuccess && error != kNoDevice) {
      return fail(ErrorKind::environment, "the NVIDIA driver does not start: " + driver.words(error));
    }
  }
  const int error = e.device_get_count(&driver.device_count_);
  if (error == kNotInitialised && !may_load) {
    return fail(ErrorKind::not_found, "the program has not initialised CUDA; it was not looked at");
  }
  if (error == kNoDevice || (error == kNotInitialised && may_load)) {
    return fail(ErrorKind::not_found, "the NVIDIA driver is there, but no device is visible");
  }
  if (error != kSuccess)
    return fail(ErrorKind::environment, "the NVIDIA driver does not count its devices: " + driver.words(error));
  return driver;
}

CudaDriver::~CudaDriver() {
  if (library_ != nullptr) dlclose(library_);
}

CudaDriver::CudaDriver(CudaDriver&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)), entries_(other.entries_), device_count_(other.device_count_) {}

std::string CudaDriver::words(int error) const {
  const char* name = nullptr;
  if (entries_.get_error_name(error, &name) != kSuccess || name == nullptr) return "error " + std::to_string(error);
  return name;
}

std::string CudaDriver::version() const {
  int version = 0;
  if (entries_.driver_get_version(&version) != kSuccess) return "unknown";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<SurveyedDevice> CudaDriver::describe(int ordinal) const {
  constexpr std::int32_t kCudaType = 2;  // kDLCUDA
  int device = 0;
  if (const int error = entries_.device_get(&device, ordinal); error != kSuccess) {
    return fail(ErrorKind::environment, "CUDA device " + std::to_string(ordinal) + ": " + words(error));
  }
  SurveyedDevice out;
  out.device = {kCudaType, ordinal};
  char name[256] = {};
  if (entries_.device_get_name(name, static_cast<int>(sizeof name) - 1, device) == kSuccess) out.name = name;
  if (out.name.empty()) out.name = device_name(out.device);
  if (std::size_t bytes = 0; entries_.device_total_mem(&bytes, device) == kSuccess) out.total_bytes = bytes;
  out.free_bytes = free_bytes(device);
  return out;
}

// Free memory can only be asked for inside a context. One that is active already is borrowed; none is made: that would
// take hundreds of megabytes of the device.
std::optional<std::uint64_t> CudaDriver::free_bytes(int device) const {
  unsigned flags = 0;
  int active = 0;
  if (entries_.primary_context_state(device, &flags, &active) != kSuccess || active == 0) return std::nullopt;
  Context context = nullptr;
  if (entries_.primary_context_retain(&context, device) != kSuccess) return std::nullopt;
  std::optional<std::uint64_t> result;
  if (entries_.context_push(context) == kSuccess) {
    std::size_t free = 0, total = 0;
    if (entries_.memory_info(&free, &total) == kSuccess) result = free;
    Context popped = nullptr;
    entries_.context_pop(&popped);
  }
  entries_.primary_context_release(device);
  return result;
}

}  // namespace dlscope::core
