#include "core/wire/statistics_payload.h"

#include <cmath>

#include "core/wire/real_payload.h"

namespace dlscope::core::wire {
namespace {

void put(PayloadWriter& out, const Number& number) {
  out.number(static_cast<std::uint8_t>(number.kind));
  out.number(number.as_signed);
  out.number(number.as_unsigned);
  put_real(out, number.real);
}
void get(PayloadReader& in, Number& number) {
  number.kind = in.choice(ValueKind::complex);
  number.as_signed = in.number<std::int64_t>();
  number.as_unsigned = in.number<std::uint64_t>();
  number.real = get_real(in);
}

void put(PayloadWriter& out, const SpecialValue& special) {
  out.number(special.index);
  out.number(static_cast<std::uint8_t>(special.kind));
}
void get(PayloadReader& in, SpecialValue& special) {
  special.index = in.number<std::uint64_t>();
  special.kind = in.choice(ValueClass::negative_infinity);
}

void put(PayloadWriter& out, const Histogram& histogram) {
  out.flag(histogram.valid);
  if (!histogram.valid) return;
  put_real(out, histogram.low);
  put_real(out, histogram.high);
  put_real(out, histogram.width);
  out.number(histogram.below);
  out.number(histogram.above);
  for (const std::uint64_t count : histogram.bins) out.number(count);
}
void get(PayloadReader& in, Histogram& histogram) {
  histogram.valid = in.flag();
  if (!histogram.valid) return;
  histogram.low = get_real(in);
  histogram.high = get_real(in);
  histogram.width = get_real(in);
  histogram.below = in.number<std::uint64_t>();
  histogram.above = in.number<std::uint64_t>();
  for (std::uint64_t& count : histogram.bins) count = in.number<std::uint64_t>();
  const bool sound = std::isfinite(histogram.low) && std::isfinite(histogram.high) && std::isfinite(histogram.width) &&
                     histogram.width > 0 && histogram.low <= histogram.high;
  if (!sound) in.fail();
}

void put(PayloadWriter& out, const Quantiles& quantiles) {
  out.number(static_cast<std::uint8_t>(quantiles.method));
  out.number(quantiles.distinct);
  for (const double value : quantiles.values) put_real(out, value);
}
void get(PayloadReader& in, Quantiles& quantiles) {
  quantiles.method = in.choice(StatisticsMethod::exact);
  quantiles.distinct = in.number<std::uint32_t>();
  for (double& value : quantiles.values) value = get_real(in);
}

}  // namespace

void put(PayloadWriter& out, const ValueSummary& summary) {
  out.number(static_cast<std::uint8_t>(summary.method));
  for (const std::uint64_t count : {summary.count, summary.seen, summary.nan, summary.pos_inf, summary.neg_inf, summary.zero,
                                    summary.negative, summary.subnormal}) {
    out.number(count);
  }
  put(out, summary.first_special);
  put(out, summary.last_special);
  put(out, summary.min);
  put(out, summary.max);
  for (const double value : {summary.mean, summary.std, summary.mean_error, summary.std_error}) put_real(out, value);
}
void get(PayloadReader& in, ValueSummary& summary) {
  summary.method = in.choice(StatisticsMethod::exact);
  for (std::uint64_t* const count : {&summary.count, &summary.seen, &summary.nan, &summary.pos_inf, &summary.neg_inf,
                                     &summary.zero, &summary.negative, &summary.subnormal}) {
    *count = in.number<std::uint64_t>();
    if (count != &summary.count && *count > summary.count) in.fail();
  }
  get(in, summary.first_special);
  get(in, summary.last_special);
  get(in, summary.min);
  get(in, summary.max);
  for (double* const value : {&summary.mean, &summary.std, &summary.mean_error, &summary.std_error}) *value = get_real(in);
}

void put(PayloadWriter& out, const Statistics& statistics) {
  put(out, statistics.summary);
  put(out, statistics.histogram);
  put(out, statistics.quantiles);
}
void get(PayloadReader& in, Statistics& statistics) {
  get(in, statistics.summary);
  get(in, statistics.histogram);
  get(in, statistics.quantiles);
}

}  // namespace dlscope::core::wire
