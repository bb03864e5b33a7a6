// CudaTransfer: copies bytes between the memory of one CUDA device and host memory, through a ring of pinned buffers and a stream
// of its own. It never pins the program's memory and creates no context: copies run in the program's own primary context. Calls
// block: when one returns, no copy is running any more. Errors have the driver's error name in their message.
//
// The stream is not ordered after the program's streams, so copies read what is in memory at that moment;
// wait_for_default_stream() orders it. Device memory is allocated
// for kernels only: one piece of scratch_bytes(), at the first use.
// thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/block_scanner.h"
#include "core/devices/cuda_driver.h"
#include "core/devices/cuda_kernels.h"

namespace dlscope::core {

// `count` rows of `width` bytes on the device, `pitch` bytes apart: pitch >= width, or count == 1.
struct DeviceRows {
  Address first = 0;
  std::size_t width = 0;
  std::size_t count = 1;
  std::size_t pitch = 0;
};

struct CudaRing {
  std::size_t buffer_bytes = std::size_t{4} << 20;
  std::size_t buffers = 2;  // so that one is filled while the other is emptied
};

enum class CudaWay : std::uint8_t { to_host, to_device };

// Called on the copying thread after each piece of a copy, with its bytes. False: stop the copy. Empty: it is never stopped.
using PieceMoved = std::function<bool(std::size_t bytes)>;

class CudaTransfer {
 public:
  // Uses the driver that the program has initialised. Fails when there is none, the program has no active context on the device,
  // or pinned memory cannot be allocated.
  [[nodiscard]] static Result<std::unique_ptr<CudaTransfer>> open(int ordinal, CudaRing ring = {});
  ~CudaTransfer();
  CudaTransfer(const CudaTransfer&) = delete;
  CudaTransfer& operator=(const CudaTransfer&) = delete;

  // Orders later copies after all work now queued on the legacy default stream, the stream that a DLPack producer synchronises
  // with when asked for stream=1. Does not block.
  [[nodiscard]] Result<void> wait_for_default_stream();
  // Blocks until that work is done; fails with `cancelled` within milliseconds after a stop request.
  [[nodiscard]] Result<void> finish(const std::stop_token& stop);
  // The same; asks `goes_on` instead, between short waits. Empty: it waits to the end.
  [[nodiscard]] Result<void> finish(const std::function<bool()>& goes_on);
  // Blocks until all work on all of the device's streams is done: for
  // memory whose producer was not asked to synchronise with a stream.
  [[nodiscard]] Result<void> wait_for_all_streams();

  // Row i goes to `to` + i * to_pitch, which may be negative. When cancelled, some of the rows have been copied.
  [[nodiscard]] Result<void> to_host(const DeviceRows& from, std::byte* to, std::ptrdiff_t to_pitch, std::stop_token stop = {},
                                     const PieceMoved& moved = {});
  [[nodiscard]] Result<void> to_device(const std::byte* from, std::ptrdiff_t from_pitch, const DeviceRows& to,
                                       std::stop_token stop = {}, const PieceMoved& moved = {});
  // Bytes per nanosecond between a buffer of the ring and the device's memory: the most that a copy can have.
  [[nodiscard]] Result<double> plain_rate(CudaWay way);
  // Copies `bytes` contiguous bytes on the device itself, and to memory of another device.
  [[nodiscard]] Result<void> on_device(Address from, Address to, std::size_t bytes);
  [[nodiscard]] Result<void> to_peer(Address from, int peer, Address to, std::size_t bytes);
  // A strided copy on this device by a kernel (item: see
  // CudaKernels::copy_items()). Fails without kernels; ask kernels_problem() first.
  [[nodiscard]] Result<void> copy_items(const kernels::ItemCopy& copy, unsigned item);
  // Why kernels cannot be used here; "" if they can. The first call loads them.
  [[nodiscard]] const std::string& kernels_problem();
  // As BlockScanner::scan(), for at most most_blocks() blocks, and without checking the extent. Fails without kernels.
  [[nodiscard]] Result<void> scan_blocks(kernels::BlockScan scan, const BlockScanResults& results);
  [[nodiscard]] std::size_t most_blocks() const { return (sizes_.buffer_bytes - kCounters) / sizeof(kernels::BlockAnswer); }
  // Device memory of our own, scratch_bytes() of it; the first call allocates it.
  [[nodiscard]] Result<Address> scratch();
  [[nodiscard]] std::size_t scratch_bytes() const { return sizes_.buffer_bytes; }

  // Copies pieces of `each` bytes from these device addresses to `out`, one after the other.
  [[nodiscard]] Result<void> gather(std::span<const Address> from, std::size_t each, std::byte* out, std::stop_token stop = {});

  [[nodiscard]] const CudaDriver& driver() const { return driver_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  struct Buffer {
    std::byte* bytes = nullptr;
    CudaEvent filled = nullptr;  // recorded after the copy that uses the buffer
  };
  class Running;
  static constexpr std::size_t kCodes = std::size_t{1} << 16;
  static constexpr std::size_t kCounters = sizeof(kernels::BinCounts) + kCodes * 8;  // bytes in front of a scan's answers

  CudaTransfer(CudaDriver driver, int ordinal, CudaRing sizes) : driver_(std::move(driver)), ordinal_(ordinal), sizes_(sizes) {}
  [[nodiscard]] Result<void> make_handles();
  [[nodiscard]] Result<void> ready(Buffer& buffer);  // allocates it at the first use
  [[nodiscard]] Result<void> wait(const Buffer& buffer);
  [[nodiscard]] Result<void> record(const Buffer& buffer);
  [[nodiscard]] Result<void> copy_rows(const DeviceRows& rows, std::byte* pinned, bool to_host);
  template <class Copy>
  [[nodiscard]] Result<void> move_rows(const DeviceRows& rows, bool to_host, const Copy& copy, const std::stop_token& stop,
                                       const PieceMoved& moved);
  [[nodiscard]] Result<void> end(Running& running);
  [[nodiscard]] Result<void> gather_by_copies(std::span<const Address> from, std::size_t each, const Buffer& buffer);
  [[nodiscard]] Result<void> gather_by_kernel(std::span<const Address> from, std::size_t each, const Buffer& buffer);

  CudaDriver driver_;
  int ordinal_;
  CudaRing sizes_;
  CudaStream stream_ = nullptr;
  mutable bool may_be_running_ = false;  // a copy of ours could not be waited for
  std::vector<Buffer> ring_;
  std::optional<Result<CudaKernels>> kernels_;  // nullopt: not loaded yet
  std::string kernels_problem_;
  Address scratch_ = 0;
};

}  // namespace dlscope::core
