// DeviceBlocks: the blocks of an exact pass, summarised on the device where the values lie. Some blocks must be read all the same: those
// with NaN or infinities, whose places are wanted, and those that double precision has trouble with.
// thread: one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/devices/block_scanner.h"
#include "core/elements/memory_order.h"
#include "core/statistics/block_kernels.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

class DeviceBlocks {
 public:
  // Null: the values lie on no device that can do it, or their type is not for it. block_values: of every block but the last one.
  // bins: the histogram's, where one is wanted; count_codes: bit patterns are counted instead of everything else.
  [[nodiscard]] static std::unique_ptr<DeviceBlocks> make(const TensorValues& values, const MemoryOrder& order,
                                                          std::uint32_t block_values, const std::optional<BinScale>& bins,
                                                          bool count_codes);

  // Of the block that begins at this place, the next one of a rising sequence. Fails as BlockScanner::scan() does.
  [[nodiscard]] Result<kernels::BlockAnswer> block_at(std::uint64_t place);
  // What the answers so far have put into bins, but for blocks that were not plain.
  [[nodiscard]] const kernels::BinCounts& bins() const { return bins_; }
  [[nodiscard]] std::span<const std::uint64_t> codes() const { return codes_; }  // empty: they were not counted

 private:
  DeviceBlocks(const BlockScanner& scanner, const MemoryOrder& order, const kernels::BlockScan& scan)
      : scanner_(scanner), order_(order), scan_(scan) {}
  [[nodiscard]] Result<void> scan_from(std::uint64_t place);

  const BlockScanner& scanner_;
  const MemoryOrder& order_;
  kernels::BlockScan scan_;
  bool wants_bins_ = false;
  std::vector<kernels::BlockAnswer> answers_;  // of the blocks from first_ on
  std::uint64_t first_ = 0;
  kernels::BinCounts bins_{};
  std::vector<std::uint64_t> codes_;
};

}  // namespace dlscope::core
