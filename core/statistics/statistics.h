// Statistics of a tensor's values in one pass over its memory: the function behind the report, the module and the window's panel.
// Pure core code without state of its own; shaped to be a task: it reads through a source, can be stopped within milliseconds and
// says how far it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <type_traits>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/elements/element_reader.h"
#include "core/tensor/dtype.h"
#include "core/tensor/element.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

enum class StatisticsMethod : std::uint8_t { none, sample, exact };
[[nodiscard]] const char* statistics_method_name(StatisticsMethod method);  // "exact", ...

inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

// One value, in the type that holds it exactly: as_signed, as_unsigned or real by `kind`; kind bits: there is none.
struct Number {
  ValueKind kind = ValueKind::bits;
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;
  double real = 0;

  // Of a decoded value; True is 1 whatever its byte. None for kinds bits and complex.
  [[nodiscard]] static Number of(const Value& value);
  [[nodiscard]] double as_double() const;
};

// A NaN or an infinity. index: the C-order number of its element.
struct SpecialValue {
  std::uint64_t index = kNoIndex;  // kNoIndex: there is none
  ValueClass kind = ValueClass::normal;
};

// Every lane of an element is a value. Plain data: it may travel as bytes.
struct ValueSummary {
  StatisticsMethod method = StatisticsMethod::none;
  std::uint64_t count = 0;  // values there are
  std::uint64_t seen = 0;   // values the numbers below are about: all of them, or those of the sample
  std::uint64_t nan = 0, pos_inf = 0, neg_inf = 0;
  std::uint64_t zero = 0;       // -0.0 too; complex: both parts
  std::uint64_t negative = 0;   // below 0, -inf too; complex: not counted
  std::uint64_t subnormal = 0;  // complex takes the class of its more alarming part (core/tensor/element.h)
  SpecialValue first_special, last_special;
  // Over the finite values; without kind and NaN where there are none, or the values are complex.
  Number min, max;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double std = std::numeric_limits<double>::quiet_NaN();  // divided by the count (ddof 0)
  // method exact: bounds on what rounding did. sample: half the width of the 95 % confidence interval of the mean; the std has none.
  double mean_error = std::numeric_limits<double>::quiet_NaN();
  double std_error = std::numeric_limits<double>::quiet_NaN();
};

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
