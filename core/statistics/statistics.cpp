#include "core/statistics/statistics.h"

#include "core/statistics/exact_pass.h"

namespace dlscope::core {

bool has_statistics(DType dtype) { return scan_kind(dtype, false) != ScanKind::none; }

Result<Statistics> exact_statistics(const TensorValues& values, const StatisticsOptions& options) {
  const MemoryOrder order(values.layout, values.dtype, values.address);
  auto pass = ExactPass::begin(values, order, options.histogram, options.stop);
  if (!pass) return std::unexpected(pass.error());
  if (const auto done = pass->advance(options.threads, ExactPass::kNoLimit, options.stop, options.progress); !done) {
    return std::unexpected(done.error());
  }
  return pass->finish();
}

}  // namespace dlscope::core
