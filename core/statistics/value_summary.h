// ValueSummary: the numbers of a tensor's statistics. Plain data without pointers: stored in snapshots and copied over the wire as bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/tensor/element.h"

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

// Every lane of an element is a value.
struct ValueSummary {
  StatisticsMethod method = StatisticsMethod::none;
  std::uint64_t count = 0;  // values there are
  std::uint64_t seen = 0;   // values the numbers below are about: all of them, or those of the sample
  std::uint64_t nan = 0, pos_inf = 0, neg_inf = 0;
  std::uint64_t zero = 0;       // -0.0 too; complex: both parts
  std::uint64_t negative = 0;   // below 0, -inf too; complex: not counted
  std::uint64_t subnormal = 0;  // complex: of the two parts' classes the worse one counts (core/tensor/element.h)
  SpecialValue first_special, last_special;
  // Over the finite values; without kind and NaN where there are none, or the values are complex.
  Number min, max;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double std = std::numeric_limits<double>::quiet_NaN();  // divided by the count (ddof 0)
  // method exact: the true mean and std are within these bounds, which cover rounding (moments.h). sample: mean_error is half the width of
  // the 95 % confidence interval of the mean, NaN where the sample does not tell (all its values are equal); std_error is NaN.
  double mean_error = std::numeric_limits<double>::quiet_NaN();
  double std_error = std::numeric_limits<double>::quiet_NaN();
};
static_assert(std::is_trivially_copyable_v<ValueSummary>);

// Of one tensor of a snapshot.
struct StatisticsRecord {
  std::uint32_t tensor = 0;
  ValueSummary summary;
};

}  // namespace dlscope::core
