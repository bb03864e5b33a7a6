// BlockScanner: what a MemoryReader may be beside: somebody who summarises numbers where they lie, on a device, so that they need not be
// brought here. Who has a reader asks it by dynamic_cast.
// thread: as the reader.
#pragma once

#include <span>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/kernels/block_scan.h"

namespace dlscope::core {

struct BlockScanResults {
  std::span<kernels::BlockAnswer> answers;  // one for each block
  kernels::BinCounts* bins = nullptr;       // added to; null: none are wanted
  std::span<std::uint64_t> codes;           // of 2^bits bit patterns, added to; empty: none are wanted
};

class BlockScanner {
 public:
  virtual ~BlockScanner() = default;
  // Memory of a device that this scanner serves begins there, and the device has the code and the room for it.
  [[nodiscard]] virtual bool can_scan(Address address) const = 0;
  // scan: where its answers, bins and codes are is set here. extent: all bytes that its places touch. Fails in words.
  [[nodiscard]] virtual Result<void> scan(const kernels::BlockScan& scan, ByteRange extent,
                                          const BlockScanResults& results) const = 0;
};

}  // namespace dlscope::core
