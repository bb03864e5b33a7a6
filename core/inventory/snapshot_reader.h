// SnapshotReader: who reads the bytes of a snapshot's tensors: the host's reader, and where the driver has confirmed that a tensor lies
// on the CUDA device its producer names, a reader of that device. Which one is told by the address alone: the addresses of devices and
// of the host are one space (CUDA's unified addressing).
// thread: any.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/devices/block_scanner.h"
#include "core/inventory/readable.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

class SnapshotReader final : public MemoryReader, public BlockScanner {
 public:
  using OpenDevice = std::function<Result<std::shared_ptr<const MemoryReader>>(std::int32_t ordinal)>;
  // open: called once for each device, when it is needed first.
  SnapshotReader(const Snapshot& snapshot, std::shared_ptr<const MemoryReader> host, OpenDevice open);

  // Opens what reads this tensor; fails in words, as every read of it would.
  [[nodiscard]] Result<void> prepare(const TensorRecord& tensor) const;

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] Answer last_answer() const override;
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] bool can_scan(Address address) const override;
  [[nodiscard]] Result<void> scan(const kernels::BlockScan& scan, ByteRange extent,
                                  const BlockScanResults& results) const override;

 private:
  struct DeviceRange {
    ByteRange bytes;
    std::int32_t ordinal = 0;
  };
  using Opened = Result<std::shared_ptr<const MemoryReader>>;
  [[nodiscard]] const Opened& device(std::int32_t ordinal) const;
  // Null: the device's reader could not be opened.
  [[nodiscard]] const MemoryReader* reader_at(Address address) const;
  // The addresses from `first` on that the same reader serves.
  [[nodiscard]] std::size_t same_reader(std::span<const Address> addresses, std::size_t first, const MemoryReader*& reader) const;

  std::shared_ptr<const MemoryReader> host_;
  OpenDevice open_;
  std::vector<DeviceRange> ranges_;  // sorted, apart
  mutable std::mutex mutex_;
  mutable std::map<std::int32_t, Opened> devices_;  // by ordinal
  mutable std::atomic<const MemoryReader*> last_ = nullptr;  // who answered last
};

// Readers of this process's devices (CudaReader), for whoever reads where the driver is.
[[nodiscard]] SnapshotReader::OpenDevice devices_of_this_process(std::stop_token stop = {});

}  // namespace dlscope::core
