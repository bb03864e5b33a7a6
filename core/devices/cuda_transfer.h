// CudaTransfer: bytes between the memory of one CUDA device and the host's, through a ring of pinned buffers and a stream of its own.
// The program's memory is never pinned, and no context is made. Copies run in the program's own primary context: what goes wrong is told
// in words, and when a call returns nothing is under way any more.
//
// The stream waits for none of the program's: what is read is what lies there. wait_for_default_stream() orders it.
// Memory on the device is taken for the kernels only: one piece of scratch_bytes(), with the first use of it.
// thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Rows of bytes on the device, `pitch` apart: pitch >= width, or one row.
struct DeviceRows {
  Address first = 0;
  std::size_t width = 0;
  std::size_t count = 1;
  std::size_t pitch = 0;
};

struct CudaRing {
  std::size_t buffer_bytes = std::size_t{4} << 20;
  std::size_t buffers = 2;  // one is filled while the other is emptied
};

class CudaTransfer {
 public:
  // Opens the driver that the program has initialised. Fails in words: none, no active context on the device, no pinned memory.
  [[nodiscard]] static Result<std::unique_ptr<CudaTransfer>> open(int ordinal, CudaRing ring = {});
  ~CudaTransfer();
  CudaTransfer(const CudaTransfer&) = delete;
  CudaTransfer& operator=(const CudaTransfer&) = delete;

  // The copies after this come after all that is on the default stream now (legacy: what a producer of DLPack orders its memory
  // before when it is asked for stream 1).
  [[nodiscard]] Result<void> wait_for_default_stream();
  // Returns when all of that is done, or cancelled within milliseconds.
  [[nodiscard]] Result<void> finish(const std::stop_token& stop);
  // Returns when all that the program has on the device's streams is done: for memory whose producer was asked for no stream.
  [[nodiscard]] Result<void> wait_for_all_streams();

  // Row i goes to `to` + i * to_pitch (which may be negative). Cancelled: part of the rows is there.
  [[nodiscard]] Result<void> to_host(const DeviceRows& from, std::byte* to, std::ptrdiff_t to_pitch, std::stop_token stop = {});
  [[nodiscard]] Result<void> to_device(const std::byte* from, std::ptrdiff_t from_pitch, const DeviceRows& to,
                                       std::stop_token stop = {});
  // On the device itself, and to memory of another one: `bytes` one after the other.
  [[nodiscard]] Result<void> on_device(Address from, Address to, std::size_t bytes);
  [[nodiscard]] Result<void> to_peer(Address from, int peer, Address to, std::size_t bytes);
  // By a kernel: all addresses are this device's (item: CudaKernels::copy_items()). Fails without kernels, which kernels_problem() tells
  // before.
  [[nodiscard]] Result<void> copy_items(const kernels::ItemCopy& copy, unsigned item);
  // Why kernels cannot be used here; "" when they can. Loads them the first time.
  [[nodiscard]] const std::string& kernels_problem();
  // As BlockScanner::scan(), of at most most_blocks(). Fails without kernels.
  [[nodiscard]] Result<void> scan_blocks(kernels::BlockScan scan, const BlockScanResults& results);
  [[nodiscard]] std::size_t most_blocks() const { return (sizes_.buffer_bytes - kCounters) / sizeof(kernels::BlockAnswer); }
  // Memory of ours on the device, scratch_bytes() of it.
  [[nodiscard]] Result<Address> scratch();
  [[nodiscard]] std::size_t scratch_bytes() const { return sizes_.buffer_bytes; }

  // Pieces of `each` bytes, one after the other into `out`.
  [[nodiscard]] Result<void> gather(std::span<const Address> from, std::size_t each, std::byte* out, std::stop_token stop = {});

  [[nodiscard]] const CudaDriver& driver() const { return driver_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  struct Buffer {
    std::byte* bytes = nullptr;
    CudaEvent filled = nullptr;  // the device has come so far
  };
  class Running;
  static constexpr std::size_t kCodes = std::size_t{1} << 16;
  static constexpr std::size_t kCounters = sizeof(kernels::BinCounts) + kCodes * 8;  // of a scan

  CudaTransfer(CudaDriver driver, int ordinal, CudaRing sizes) : driver_(std::move(driver)), ordinal_(ordinal), sizes_(sizes) {}
  [[nodiscard]] Result<void> make_handles();
  [[nodiscard]] Result<void> ready(Buffer& buffer);  // made, with the first use of it
  [[nodiscard]] Result<void> wait(const Buffer& buffer);
  [[nodiscard]] Result<void> record(const Buffer& buffer);
  [[nodiscard]] Result<void> copy_rows(const DeviceRows& rows, std::byte* pinned, bool to_host);
  [[nodiscard]] Result<void> end(Running& running);
  [[nodiscard]] Result<void> gather_by_copies(std::span<const Address> from, std::size_t each, const Buffer& buffer);
  [[nodiscard]] Result<void> gather_by_kernel(std::span<const Address> from, std::size_t each, const Buffer& buffer);

  CudaDriver driver_;
  int ordinal_;
  CudaRing sizes_;
  CudaStream stream_ = nullptr;
  std::vector<Buffer> ring_;
  std::optional<Result<CudaKernels>> kernels_;  // once somebody asked
  std::string kernels_problem_;
  Address scratch_ = 0;
};

}  // namespace dlscope::core
