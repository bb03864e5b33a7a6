// CudaTransfer: the functions that use kernels: strided copies on the device, gathering of scattered pieces, summaries of values.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/devices/cuda_running.h"
#include "core/tensor/device_id.h"

namespace dlscope::core {

const std::string& CudaTransfer::kernels_problem() {
  if (kernels_) return kernels_problem_;
  const auto running = Running::enter(*this);
  kernels_.emplace(running ? CudaKernels::load(driver_) : Result<CudaKernels>(std::unexpected(running.error())));
  if (!*kernels_) kernels_problem_ = kernels_->error().message;
  return kernels_problem_;
}

Result<Address> CudaTransfer::scratch() {
  if (scratch_ != 0) return scratch_;
  const auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (const int error = driver_.entries().device_allocate(&scratch_, scratch_bytes())) {
    scratch_ = 0;
    return driver_.failed(fmt::format("allocating {} bytes on {}", scratch_bytes(), device_name({2, ordinal_})), error);
  }
  return scratch_;
}

Result<void> CudaTransfer::copy_items(const kernels::ItemCopy& copy, unsigned item) {
  if (!kernels_problem().empty()) return fail(ErrorKind::unsupported, kernels_problem());
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  if (auto put = (*kernels_)->copy_items(copy, item, stream_); !put) return put;
  return end(*running);
}

// In the scratch memory the bins and codes precede the answers, so that one copy brings everything back.
Result<void> CudaTransfer::scan_blocks(kernels::BlockScan scan, const BlockScanResults& results) {
  if (!kernels_problem().empty()) return fail(ErrorKind::unsupported, kernels_problem());
  if (sizes_.buffer_bytes <= kCounters + results.answers.size_bytes())
    return fail(ErrorKind::unsupported, "the buffers are too small for a scan");
  const auto memory = scratch();
  if (!memory) return std::unexpected(memory.error());
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Buffer& buffer = ring_.front();
  if (auto made = ready(buffer); !made) return made;
  const std::string what = "summarising values on " + device_name({2, ordinal_});
  const bool wants_codes = !results.codes.empty();
  const std::size_t counters = sizeof(kernels::BinCounts) + (wants_codes ? kCodes * 8 : 0);
  if (const int error = driver_.entries().set_bytes(*memory, 0, counters, stream_)) return driver_.failed(what, error);
  scan.bins = results.bins != nullptr ? *memory : 0;
  scan.codes = wants_codes ? *memory + sizeof(kernels::BinCounts) : 0;
  scan.answers = *memory + counters;
  if (auto put = (*kernels_)->scan_blocks(scan, stream_); !put) return put;
  const std::size_t bytes = counters + results.answers.size_bytes();
  if (auto put = copy_rows({*memory, bytes, 1, bytes}, buffer.bytes, true); !put) return put;
  if (auto done = end(*running); !done) return done;
  std::memcpy(results.answers.data(), buffer.bytes + counters, results.answers.size_bytes());
  if (results.bins != nullptr) {
    kernels::BinCounts found;
    std::memcpy(&found, buffer.bytes, sizeof found);
    for (int i = 0; i < kernels::kScanBins; ++i) results.bins->bins[i] += found.bins[i];
    results.bins->below += found.below;
    results.bins->above += found.above;
  }
  for (std::size_t code = 0; code < results.codes.size(); ++code) {
    std::uint64_t count = 0;
    std::memcpy(&count, buffer.bytes + sizeof(kernels::BinCounts) + code * 8, 8);
    results.codes[code] += count;
  }
  return {};
}

// Copies the pieces into the buffer, one after the other.
Result<void> CudaTransfer::gather_by_copies(std::span<const Address> from, std::size_t each, const Buffer& buffer) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (auto done = copy_rows({from[i], each, 1, each}, buffer.bytes + i * each, true); !done) return done;
  }
  return {};
}

// The addresses go through the buffer to the first half of the scratch memory; the kernel collects the pieces in the second half.
Result<void> CudaTransfer::gather_by_kernel(std::span<const Address> from, std::size_t each, const Buffer& buffer) {
  const CudaEntries& e = driver_.entries();
  std::memcpy(buffer.bytes, from.data(), from.size_bytes());
  const Address pieces = scratch_ + scratch_bytes() / 2;
  if (const int error = e.copy_to_device(scratch_, buffer.bytes, from.size_bytes(), stream_))
    return driver_.failed("copying to " + device_name({2, ordinal_}), error);
  const kernels::Gather work{scratch_, pieces, from.size(), static_cast<std::uint32_t>(each)};
  if (auto put = (*kernels_)->gather(work, stream_); !put) return put;
  return copy_rows({pieces, from.size() * each, 1, from.size() * each}, buffer.bytes, true);
}

Result<void> CudaTransfer::gather(std::span<const Address> from, std::size_t each, std::byte* out, std::stop_token stop) {
  constexpr std::size_t kWorthAKernel = 16;  // pieces; for fewer, separate copies are as fast
  if (each == 0) return {};
  if (each > sizes_.buffer_bytes) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (auto done = to_host({from[i], each, 1, each}, out + i * each, 0, stop); !done) return done;
    }
    return {};
  }
  const bool by_kernel = from.size() >= kWorthAKernel && std::max(each, sizeof(Address)) <= scratch_bytes() / 2 &&
                         kernels_problem().empty() && scratch().has_value();
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Buffer& buffer = ring_.front();
  if (auto made = ready(buffer); !made) return made;
  const std::size_t at_once = by_kernel ? scratch_bytes() / 2 / std::max(each, sizeof(Address)) : sizes_.buffer_bytes / each;
  for (std::size_t first = 0; first < from.size(); first += at_once) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "the copy was stopped");
    const auto some = from.subspan(first, std::min(at_once, from.size() - first));
    if (auto put = by_kernel ? gather_by_kernel(some, each, buffer) : gather_by_copies(some, each, buffer); !put) return put;
    if (auto done = record(buffer); !done) return done;
    if (auto done = wait(buffer); !done) return done;
    std::memcpy(out + first * each, buffer.bytes, some.size() * each);
  }
  running->finished();
  return {};
}

}  // namespace dlscope::core
