// DeviceBlocks: computes the results of an exact pass's blocks on the device that holds the values, so that the values need not be
// copied to the host. A block that is not plain (NaN, infinities, sums that lost precision) says so, and the caller reads its values.
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
  // Null: the values are not on a device whose reader is a BlockScanner, or the type or layout is not supported there; then they are read.
  // block_values: values per block; the last block may have fewer. bins: for a histogram. count_codes: only count bit patterns.
  // values.source.reader and `order` must outlive it.
  [[nodiscard]] static std::unique_ptr<DeviceBlocks> make(const TensorValues& values, const MemoryOrder& order,
                                                          std::uint32_t block_values, const std::optional<BinScale>& bins,
                                                          bool count_codes);

  // The result of the block that begins at `place`. Ask in rising order: results are fetched for many blocks at once. Fails as
  // BlockScanner::scan() does.
  [[nodiscard]] Result<kernels::BlockAnswer> block_at(std::uint64_t place);
  // The bins of all plain blocks so far.
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
