// CudaReader: a MemoryReader for the memory of one CUDA device, so that code for values, statistics and searches works on device
// memory, too. Reads an address only after the driver has confirmed that it is this device's, and no more than is asked for.
// thread: any; reads are serialised by a mutex.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/devices/block_scanner.h"
#include "core/devices/cuda_pointer.h"
#include "core/devices/cuda_transfer.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

class CudaReader final : public MemoryReader, public BlockScanner {
 public:
  // Blocks until the work that the program has queued on its default stream so far is done. Does
  // not wait while the program captures a CUDA graph, because using that stream would invalidate
  // the capture. Fails as CudaTransfer::open(), or cancelled. stop: also ends reads early.
  [[nodiscard]] static Result<std::unique_ptr<CudaReader>> open(int ordinal, std::stop_token stop = {}, CudaRing ring = {});

  std::size_t read(Address from, std::span<std::byte> out) const override;
  // Asks the driver only; touches no memory.
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] std::string problem() const override;  // the driver's error
  [[nodiscard]] bool can_scan(Address address) const override;
  [[nodiscard]] Result<void> scan(const kernels::BlockScan& scan, ByteRange extent,
                                  const BlockScanResults& results) const override;

 private:
  CudaReader(std::unique_ptr<CudaTransfer> transfer, std::stop_token stop)
      : transfer_(std::move(transfer)), stop_(std::move(stop)) {}
  [[nodiscard]] std::size_t readable_bytes(Address from) const;
  [[nodiscard]] bool bring(std::span<const Address> from, std::size_t each, std::byte* out) const;

  std::unique_ptr<CudaTransfer> transfer_;
  std::stop_token stop_;
  mutable std::mutex mutex_;  // protects everything below, and the transfer
  mutable std::string problem_;
};

}  // namespace dlscope::core
