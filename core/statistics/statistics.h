// Statistics of a tensor's values in one pass over its memory: the function behind the report, the module and the window's panel.
// Pure core code without state of its own; shaped to be a task: it reads through a source, can be stopped within milliseconds and
// says how far it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <type_traits>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/elements/element_reader.h"
#include "core/statistics/value_summary.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// Bin i holds the finite values of [low + i * width, low + (i + 1) * width), the last one `high` too.
// In the value's own precision: what lies within a rounding of an edge may be counted in the neighbour.
// The range is that of the bulk: a few outliers are counted beside it.
struct Histogram {
  bool valid = false;
  double low = 0, high = 0, width = 0;
  std::uint64_t below = 0, above = 0;
  std::array<std::uint64_t, 256> bins{};
};

inline constexpr std::array<double, 9> kQuantiles{0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};
// values[i]: the least value that at least a share kQuantiles[i] of the finite values do not exceed. Exact when method exact
// (values of at most 16 bits); else of the sample.
struct Quantiles {
  StatisticsMethod method = StatisticsMethod::none;  // none: there are none
  std::uint32_t distinct = 0;                        // method exact: how many different finite values there are
  std::array<double, kQuantiles.size()> values{};
};

struct Statistics {
  ValueSummary summary;
  Histogram histogram;
  Quantiles quantiles;
};
static_assert(std::is_trivially_copyable_v<Statistics>);

struct TensorValues {
  DType dtype;
  LayoutView layout;    // validated
  Address address = 0;  // of element [0,...,0]
  ElementSource source;
};

struct StatisticsOptions {
  bool histogram = false;  // and quantiles. Costs about twice the time.
  unsigned threads = 0;    // 0: as many as the machine has, at most 8. Whatever the number, the answer has the same bits.
  std::stop_token stop;
  // thread: the caller's. Places done and in all.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

// False for dtypes whose bits nobody can decode.
[[nodiscard]] bool has_statistics(DType dtype);

// Every value. Fails (in words) when the dtype has no statistics, a byte cannot be read or it was stopped (ErrorKind::cancelled).
[[nodiscard]] Result<Statistics> exact_statistics(const TensorValues& values, const StatisticsOptions& options = {});

// About a million values from all over the tensor in some milliseconds, said to be a sample; a tensor of fewer values is answered
// exactly. Always the same values of a given layout.
[[nodiscard]] Result<Statistics> sample_statistics(const TensorValues& values, const StatisticsOptions& options = {});

}  // namespace dlscope::core
