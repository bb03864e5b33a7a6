#include "core/devices/cuda_driver.h"

#include <dlfcn.h>

#include <utility>

namespace dlscope::core {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr std::int32_t kCudaType = 2;  // kDLCUDA
constexpr unsigned kNoTiming = 2;      // CU_EVENT_DISABLE_TIMING

}  // namespace

Result<CudaDriver> CudaDriver::open(CudaInit init) {
  const bool may_load = init == CudaInit::initialise;
  CudaDriver driver;
  // An initialised driver has threads of its own and cannot be unloaded, hence RTLD_NODELETE.
  driver.library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | (may_load ? RTLD_NODELETE : RTLD_NOLOAD));
  if (driver.library_ == nullptr) {
    return fail(ErrorKind::not_found, may_load ? "no NVIDIA driver here (libcuda.so.1 cannot be loaded)"
                                               : "the program has not loaded the CUDA driver; it was not examined");
  }
  if (!look_up_cuda_entries(driver.library_, driver.entries_))
    return fail(ErrorKind::unsupported, "the NVIDIA driver is too old (CUDA 11 or newer is needed)");
  const CudaEntries& e = driver.entries_;
  if (may_load) {
    if (const int error = e.init(0); error != kCudaSuccess && error != kCudaNoDevice) {
      return fail(ErrorKind::environment, "the NVIDIA driver does not start: " + driver.error_name(error));
    }
  }
  const int error = e.device_get_count(&driver.device_count_);
  if (error == kCudaNotInitialised && !may_load) {
    return fail(ErrorKind::not_found, "the program has not initialised CUDA; it was not examined");
  }
  if (error == kCudaNoDevice || (error == kCudaNotInitialised && may_load)) {
    return fail(ErrorKind::not_found, "the NVIDIA driver is there, but no device is visible");
  }
  if (error != kCudaSuccess) return driver.failed("asking the NVIDIA driver for its devices", error);
  return driver;
}

CudaDriver::~CudaDriver() {
  if (library_ != nullptr) dlclose(library_);
}

CudaDriver::CudaDriver(CudaDriver&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)), entries_(other.entries_), device_count_(other.device_count_) {}

std::string CudaDriver::error_name(int error) const {
  const char* name = nullptr;
  if (entries_.get_error_name(error, &name) != kCudaSuccess || name == nullptr) return "error " + std::to_string(error);
  return name;
}

std::unexpected<Error> CudaDriver::failed(std::string_view what, int error) const {
  return fail(ErrorKind::environment, std::string(what) + " failed: " + error_name(error));
}

std::string CudaDriver::version() const {
  int version = 0;
  if (entries_.driver_get_version(&version) != kCudaSuccess) return "unknown";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<SurveyedDevice> CudaDriver::describe(int ordinal) const {
  int device = 0;
  if (const int error = entries_.device_get(&device, ordinal); error != kCudaSuccess)
    return failed("CUDA device " + std::to_string(ordinal), error);
  SurveyedDevice out;
  out.device = {kCudaType, ordinal};
  char name[256] = {};
  if (entries_.device_get_name(name, static_cast<int>(sizeof name) - 1, device) == kCudaSuccess) out.name = name;
  if (out.name.empty()) out.name = device_name(out.device);
  if (std::size_t bytes = 0; entries_.device_total_mem(&bytes, device) == kCudaSuccess) out.total_bytes = bytes;
  out.free_bytes = free_bytes(ordinal);
  return out;
}

// The driver tells free memory only inside a context.
std::optional<std::uint64_t> CudaDriver::free_bytes(int ordinal) const {
  const auto scope = CudaScope::enter(*this, ordinal);
  std::size_t free = 0, total = 0;
  if (!scope || entries_.memory_info(&free, &total) != kCudaSuccess) return std::nullopt;
  return free;
}

Result<CudaScope> CudaScope::enter(const CudaDriver& driver, int ordinal, CudaContextUse use) {
  const CudaEntries& e = driver.entries();
  const std::string name = device_name({kCudaType, ordinal});
  int device = 0, active = 0;
  unsigned flags = 0;
  if (const int error = e.device_get(&device, ordinal)) return driver.failed(name, error);
  if (const int error = e.primary_context_state(device, &flags, &active)) return driver.failed(name, error);
  if (active == 0 && use == CudaContextUse::only_active)
    return fail(ErrorKind::environment,
                "the program has no active primary context on " + name + ", and none is created just to read from it");
  CudaContext context = nullptr;
  if (const int error = e.primary_context_retain(&context, device)) return driver.failed("the context of " + name, error);
  if (const int error = e.context_push(context)) {
    e.primary_context_release(device);
    return driver.failed("the context of " + name, error);
  }
  return CudaScope(driver, device, context);
}

CudaScope::~CudaScope() {
  if (driver_ == nullptr) return;
  CudaContext popped = nullptr;
  driver_->entries().context_pop(&popped);
  driver_->entries().primary_context_release(device_);
}

CudaScope::CudaScope(CudaScope&& other) noexcept
    : driver_(std::exchange(other.driver_, nullptr)), device_(other.device_), context_(other.context_) {}

Result<bool> CudaScope::outside(const std::function<bool()>& call) {
  const CudaEntries& e = driver_->entries();
  CudaContext popped = nullptr;
  if (const int error = e.context_pop(&popped)) return driver_->failed("leaving the context", error);
  const bool answer = call();
  if (const int error = e.context_push(context_)) {
    e.primary_context_release(device_);
    return std::exchange(driver_, nullptr)->failed("entering the context again", error);
  }
  return answer;
}

bool captures_graph(const CudaDriver& driver, int ordinal) {
  const auto scope = CudaScope::enter(driver, ordinal);
  int capturing = 0;  // unused: the default stream itself is never captured; the error code tells whether another stream is
  return scope && driver.entries().stream_is_capturing(kCudaLegacyStream, &capturing) == kCudaStreamCaptureImplicit;
}

namespace {

// Work put on `later` from now on begins when the work now on `earlier` is done.
Result<void> order_after(const CudaDriver& driver, int ordinal, CudaStream earlier, CudaStream later) {
  const auto scope = CudaScope::enter(driver, ordinal);
  if (!scope) return std::unexpected(scope.error());
  const CudaEntries& e = driver.entries();
  CudaEvent reached = nullptr;
  if (const int error = e.event_create(&reached, kNoTiming)) return driver.failed("making an event", error);
  int error = e.event_record(reached, earlier);
  if (error == kCudaSuccess) error = e.stream_wait_event(later, reached, 0);
  e.event_destroy(reached);  // the driver frees it only after it has been reached
  if (error != kCudaSuccess) return driver.failed("waiting for the program's work", error);
  return {};
}

}  // namespace

Result<void> wait_for_default_stream(const CudaDriver& driver, int ordinal, CudaStream stream) {
  return order_after(driver, ordinal, kCudaLegacyStream, stream);
}

Result<void> have_default_stream_wait(const CudaDriver& driver, int ordinal, CudaStream stream) {
  const auto is_captured = [&] {
    const auto scope = CudaScope::enter(driver, ordinal);
    int status = 0;
    return scope && driver.entries().stream_is_capturing(stream, &status) == kCudaSuccess && status != 0;
  };
  if (captures_graph(driver, ordinal) || is_captured())
    return fail(ErrorKind::environment, "the program is capturing a CUDA graph, which a wait on the default stream would break");
  return order_after(driver, ordinal, stream, kCudaLegacyStream);
}

}  // namespace dlscope::core
