#include "core/statistics/negated_statistics.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace dlscope::core {
namespace {

bool wraps(DType dtype, const ValueSummary& s) {
  if (s.min.kind == ValueKind::unsigned_integer) return s.max.as_unsigned != 0;
  if (s.min.kind != ValueKind::signed_integer) return false;
  return dtype.bits == 0 || dtype.bits > 64 || s.min.as_signed == std::numeric_limits<std::int64_t>::min() >> (64 - dtype.bits);
}

Number negated(Number number) {
  if (number.kind == ValueKind::signed_integer) number.as_signed = -number.as_signed;
  if (number.kind == ValueKind::real) number.real = 0.0 - number.real;
  return number;
}

void negate_class(SpecialValue& special) {
  if (special.kind == ValueClass::positive_infinity)
    special.kind = ValueClass::negative_infinity;
  else if (special.kind == ValueClass::negative_infinity)
    special.kind = ValueClass::positive_infinity;
}

void mirror(Histogram& histogram) {
  histogram.low = 0.0 - std::exchange(histogram.high, 0.0 - histogram.low);
  std::swap(histogram.below, histogram.above);
  std::ranges::reverse(histogram.bins);
}

}  // namespace

Result<void> negate_statistics(DType dtype, Statistics& out) {
  if (dtype.code == static_cast<std::uint8_t>(DTypeCode::complex)) return {};
  ValueSummary& s = out.summary;
  if (wraps(dtype, s))
    return fail(ErrorKind::unsupported, "the library means the negatives of what is stored, and these wrap around in " + dtype_name(dtype));
  s.negative = s.seen - s.nan - s.zero - s.negative;
  std::swap(s.pos_inf, s.neg_inf);
  negate_class(s.first_special);
  negate_class(s.last_special);
  s.min = negated(std::exchange(s.max, negated(s.min)));
  s.mean = 0.0 - s.mean;
  out.quantiles = {};
  if (s.min.kind == ValueKind::real)
    mirror(out.histogram);
  else
    out.histogram = {};
  return {};
}

}  // namespace dlscope::core
