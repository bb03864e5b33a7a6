// Statistics of a tensor's values in one pass over its memory: used by the report, the Python module and the window. It reads through an
// ElementSource, can be stopped within milliseconds and reports progress. thread: any; no state of its own.
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
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Bin i counts the finite values in [low + i * width, low + (i + 1) * width); the last bin includes `high`. Edges are computed in the
// value's own precision: a value within one rounding of an edge may be counted in the neighbouring bin. The range may leave out a few
// outliers (histogram_range.h): finite values outside it are counted in `below` and `above`.
struct Histogram {
  bool valid = false;
  double low = 0, high = 0, width = 0;
  std::uint64_t below = 0, above = 0;
  std::array<std::uint64_t, 256> bins{};
};

inline constexpr std::array<double, 9> kQuantiles{0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};
// values[i]: the smallest value such that at least a share kQuantiles[i] of the finite values are not above it. method exact: of
// all finite values: types of at most 16 bits, and tensors of at most 65 536 values (each value of a broadcast axis counts once) unless
// 64-bit integers beyond 2^53 are among them. method sample: of at most 65 536 sampled values, integers rounded to double precision.
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
  // What is stored means these values: statistics and pictures are of the values meant. Of negated real numbers a block is copied
  // before it is looked at; all of them are still read once.
  SignBits signs = {};
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
