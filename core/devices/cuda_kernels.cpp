#include "core/devices/cuda_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "core/devices/cuda_image.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kThreadsPerBlock = 256;
constexpr std::uint64_t kMaxBlocks = 65536;  // enough to fill any device; the threads loop over the remaining work

}  // namespace

Result<CudaKernels> CudaKernels::load(const CudaDriver& driver) {
  const std::span<const std::byte> image = cuda_image();
  if (image.empty()) return fail(ErrorKind::unsupported, "this build of dlscope has no code for CUDA devices");
  CudaModule module = nullptr;
  if (const int error = driver.entries().module_load(&module, image.data()))
    return driver.failed("loading dlscope's code for this device", error);
  return CudaKernels(driver, module);
}

CudaKernels::~CudaKernels() {
  if (module_ != nullptr) driver_->entries().module_unload(module_);
}

CudaKernels::CudaKernels(CudaKernels&& other) noexcept : driver_(other.driver_), module_(std::exchange(other.module_, nullptr)) {}

Result<void> CudaKernels::launch(const std::string& function, std::uint64_t threads, const void* parameters,
                                 CudaStream stream) const {
  const CudaEntries& e = driver_->entries();
  CudaFunction found = nullptr;
  if (const int error = e.module_function(&found, module_, function.c_str()))
    return driver_->failed("looking up " + function, error);
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock, 1, kMaxBlocks));
  void* arguments[] = {const_cast<void*>(parameters)};
  if (const int error = e.launch(found, blocks, 1, 1, kThreadsPerBlock, 1, 1, 0, stream, arguments, nullptr))
    return driver_->failed("starting " + function, error);
  return {};
}

Result<void> CudaKernels::copy_items(const kernels::ItemCopy& copy, unsigned item, CudaStream stream) const {
  const bool few = copy.items <= std::numeric_limits<std::uint32_t>::max();
  return launch(fmt::format("dlscope_copy_{}{}", item, few ? "_few" : ""), copy.items, &copy, stream);
}

Result<void> CudaKernels::scan_blocks(const kernels::BlockScan& scan, CudaStream stream) const {
  static constexpr std::array kNames{"f16", "bf16", "f32", "f64", "i8",  "i16",    "i32",
                                     "i64", "u8",   "u16", "u32", "u64", "boolean"};
  static_assert(kernels::kScanThreads == kThreadsPerBlock);
  return launch(fmt::format("dlscope_scan_{}", kNames[static_cast<std::size_t>(scan.type)]), scan.blocks * kThreadsPerBlock,
                &scan, stream);
}

Result<void> CudaKernels::gather(const kernels::Gather& gather, CudaStream stream) const {
  return launch("dlscope_gather", gather.pieces * gather.each, &gather, stream);
}

}  // namespace dlscope::core
