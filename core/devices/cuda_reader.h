// CudaReader: the memory of one CUDA device behind the seam through which all memory is read (MemoryReader), so that values, statistics
// and searches need not know where their bytes lie. Nothing is read before the driver has said that the address is this device's, and
// no more of it than is asked for.
// thread: any; one reads at a time.
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
  // Returns when what the program has put on its default stream by now is done; at once while the program captures a graph, which
  // waiting for that stream would break. Fails as CudaTransfer::open() does, or cancelled. stop: reads end early.
  [[nodiscard]] static Result<std::unique_ptr<CudaReader>> open(int ordinal, std::stop_token stop = {}, CudaRing ring = {});

  std::size_t read(Address from, std::span<std::byte> out) const override;
  // By the driver's word: no memory is touched.
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] std::string problem() const override;  // the driver's words
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
  mutable std::mutex mutex_;  // everything below, and the transfer
  mutable std::string problem_;
};

}  // namespace dlscope::core
