// BlockScanner: an optional second interface of a MemoryReader: summarises blocks of numbers on the device where they lie, so
// that they need not be copied to the host. Code that has a reader finds it with dynamic_cast.
// thread: as the reader.
#pragma once

#include <span>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/kernels/block_scan.h"

namespace dlscope::core {

struct BlockScanResults {
  std::span<kernels::BlockAnswer> answers;  // one per block
  kernels::BinCounts* bins = nullptr;       // counts are added to it; null: not wanted
  std::span<std::uint64_t> codes;           // counts of the 2^bits bit patterns are added to it; empty: not wanted
};

class BlockScanner {
 public:
  virtual ~BlockScanner() = default;
  // Whether the address is memory of this scanner's device, and the device has the kernels and memory for a scan.
  [[nodiscard]] virtual bool can_scan(Address address) const = 0;
  // scan: its members answers, bins and codes are ignored and set here. extent: contains all bytes that the values touch. Blocks.
  // Fails with a message when a byte of the extent cannot be read or the device fails.
  [[nodiscard]] virtual Result<void> scan(const kernels::BlockScan& scan, ByteRange extent,
                                          const BlockScanResults& results) const = 0;
};

}  // namespace dlscope::core
