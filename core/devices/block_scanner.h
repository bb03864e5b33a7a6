// BlockScanner: what a MemoryReader may be beside: somebody who summarises numbers where they lie, on a device, so that they need not be
// brought here. Who has a reader asks it by dynamic_cast.
// thread: as the reader.
#pragma once

#include <span>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/kernels/block_scan.h"

namespace dlscope::core {

class BlockScanner {
 public:
  virtual ~BlockScanner() = default;
  // Memory of a device that this scanner serves begins there.
  [[nodiscard]] virtual bool can_scan(Address address) const = 0;
  // scan: its answers and bins are set here. extent: all bytes that its places touch. answers: one for each block. bins: added to; null:
  // none are wanted. Fails in words; unsupported: only in this way, reading may still do.
  [[nodiscard]] virtual Result<void> scan(const kernels::BlockScan& scan, ByteRange extent, std::span<kernels::BlockAnswer> answers,
                                          kernels::BinCounts* bins) const = 0;
};

}  // namespace dlscope::core
