// CudaReader: the memory of one CUDA device behind the seam through which all memory is read (MemoryReader), so that values, statistics
// and searches need not know where their bytes lie. Nothing is read before the driver has said that the address is this device's, and
// no more of it than is asked for.
// thread: any; one reads at a time.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/devices/cuda_pointer.h"
#include "core/devices/cuda_transfer.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

class CudaReader final : public MemoryReader {
 public:
  // What the program has put on its default stream by now is waited for by the first read. Fails as CudaTransfer::open() does.
  // stop: reads end early.
  [[nodiscard]] static Result<std::unique_ptr<CudaReader>> open(int ordinal, std::stop_token stop = {});

  std::size_t read(Address from, std::span<std::byte> out) const override;
  // By the driver's word: no memory is touched.
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  // Why the last read that fell short did; "" when none did.
  [[nodiscard]] std::string problem() const;

 private:
  CudaReader(std::unique_ptr<CudaTransfer> transfer, std::stop_token stop)
      : transfer_(std::move(transfer)), stop_(std::move(stop)) {}
  [[nodiscard]] std::size_t readable_bytes(Address from) const;

  std::unique_ptr<CudaTransfer> transfer_;
  std::stop_token stop_;
  mutable std::mutex mutex_;  // everything below, and the transfer
  mutable std::string problem_;
};

}  // namespace dlscope::core
