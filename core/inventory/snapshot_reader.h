// SnapshotReader: reads the bytes of a snapshot's tensors. Forwards each request to the reader of host memory or, for addresses
// of a tensor that the driver confirms to lie on a CUDA device, to a reader of that device. The address alone decides, because
// host and CUDA device addresses do not overlap (unified virtual addressing).
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
  // Copies what it needs of `snapshot`. open: makes the reader of a device; called once per device, when it is first needed.
  SnapshotReader(const Snapshot& snapshot, std::shared_ptr<const MemoryReader> host, OpenDevice open);

  // Opens the reader that this tensor needs. Fails with the reason why the tensor cannot be read.
  [[nodiscard]] Result<void> prepare(const TensorRecord& tensor) const;

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] ReadStatus last_status() const override;
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
  // The reader for this address; null: that of its device could not be opened.
  [[nodiscard]] const MemoryReader* reader_at(Address address) const;
  // How many of the addresses from `first` on have the same reader, and which.
  [[nodiscard]] std::size_t same_reader(std::span<const Address> addresses, std::size_t first, const MemoryReader*& reader) const;

  std::shared_ptr<const MemoryReader> host_;
  OpenDevice open_;
  std::vector<DeviceRange> ranges_;  // sorted, disjoint
  mutable std::mutex mutex_;
  mutable std::map<std::int32_t, Opened> devices_;  // by ordinal
  mutable std::atomic<const MemoryReader*> last_ = nullptr;  // the reader of the last call
};

// Makes readers (CudaReader) of devices that this process uses. stop: ends their reads early.
[[nodiscard]] SnapshotReader::OpenDevice devices_of_this_process(std::stop_token stop = {});

}  // namespace dlscope::core
