#include "slow_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlscope::core::test {
namespace {

bool same(const Number& a, const Number& b) {
  if (a.kind != b.kind) return false;
  return a.as_signed == b.as_signed && a.as_unsigned == b.as_unsigned && (a.real == b.real || a.kind != ValueKind::real);
}

Number number_of(const Value& value) {
  Number out{value.kind, 0, 0, 0};
  if (value.kind == ValueKind::signed_integer) out.as_signed = value.as_signed;
  if (value.kind == ValueKind::unsigned_integer) out.as_unsigned = value.as_unsigned;
  if (value.kind == ValueKind::boolean) out.as_unsigned = value.as_unsigned != 0 ? 1 : 0;
  if (value.kind == ValueKind::real) out.real = value.real;
  return out;
}

long double exactly(const Number& number) {
  if (number.kind == ValueKind::signed_integer) return static_cast<long double>(number.as_signed);
  if (number.kind == ValueKind::real) return number.real;
  return static_cast<long double>(number.as_unsigned);
}

bool within(double got, double expected, double bound) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  return std::abs(got - expected) <= bound;
}

}  // namespace

Reference slow_statistics(DType dtype, LayoutView layout, const void* data) {
  Reference out;
  ValueSummary& s = out.summary;
  s.method = StatisticsMethod::exact;
  std::vector<long double> values;
  const std::uint64_t elements = validate(layout)->elements;
  const auto* const bytes = static_cast<const std::byte*>(data);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::int64_t bit = bit_offset_of(layout, i);
    const std::int64_t byte = bit >> 3;
    for (unsigned lane = 0; lane < dtype.lanes; ++lane) {
      const Value value =
          decode_element(dtype, {bytes + byte, dtype.item_bits() / 8 + 2}, static_cast<std::size_t>(bit - byte * 8), lane);
      const ValueClass c = value.value_class;
      const Number number = number_of(value);
      const bool special = c == ValueClass::nan || c == ValueClass::positive_infinity || c == ValueClass::negative_infinity;
      ++s.count;
      s.nan += c == ValueClass::nan;
      s.pos_inf += c == ValueClass::positive_infinity;
      s.neg_inf += c == ValueClass::negative_infinity;
      s.zero += c == ValueClass::zero;
      s.subnormal += c == ValueClass::subnormal;
      if (special && s.first_special.index == kNoIndex) s.first_special = {i, c};
      if (special) s.last_special = {i, c};
      if (value.kind == ValueKind::complex) continue;
      s.negative += exactly(number) < 0;
      if (special) continue;
      if (s.min.kind == ValueKind::bits || exactly(number) < exactly(s.min)) s.min = number;
      if (s.max.kind == ValueKind::bits || exactly(number) > exactly(s.max)) s.max = number;
      values.push_back(exactly(number));
    }
  }
  s.seen = s.count;
  s.mean_error = s.std_error = 0;
  if (values.empty()) return out;
  // Small ones first; and the largest double as the unit, so that squares stay finite.
  const long double unit = std::max(1.0L, std::max(std::abs(exactly(s.min)), std::abs(exactly(s.max))) / 0x1p1000L);
  std::ranges::sort(values, {}, [](long double x) { return std::abs(x); });
  long double sum = 0, squares = 0;
  for (const long double x : values) sum += x / unit;
  const long double mean = sum / static_cast<long double>(values.size());
  long double rest = 0;  // what the mean is wrong by, times n
  for (const long double x : values) {
    squares += (x / unit - mean) * (x / unit - mean);
    rest += x / unit - mean;
  }
  squares -= rest * rest / static_cast<long double>(values.size());
  s.mean = static_cast<double>(mean * unit);
  s.std = static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size())) * unit);
  std::ranges::sort(values);
  out.finite = std::move(values);
  return out;
}

std::string difference(const ValueSummary& got, const Reference& expected) {
  const ValueSummary& e = expected.summary;
  const auto count = [](const char* what, std::uint64_t g, std::uint64_t x) {
    return g == x ? std::string() : fmt::format("{}: {} and not {}; ", what, g, x);
  };
  std::string out = count("count", got.count, e.count) + count("seen", got.seen, e.seen) + count("nan", got.nan, e.nan) +
                    count("pos_inf", got.pos_inf, e.pos_inf) + count("neg_inf", got.neg_inf, e.neg_inf) +
                    count("zero", got.zero, e.zero) + count("negative", got.negative, e.negative) +
                    count("subnormal", got.subnormal, e.subnormal) +
                    count("first special", got.first_special.index, e.first_special.index) +
                    count("last special", got.last_special.index, e.last_special.index);
  if (got.first_special.kind != e.first_special.kind || got.last_special.kind != e.last_special.kind) out += "special's kind; ";
  if (!same(got.min, e.min)) out += fmt::format("min {} and not {}; ", got.min.as_double(), e.min.as_double());
  if (!same(got.max, e.max)) out += fmt::format("max {} and not {}; ", got.max.as_double(), e.max.as_double());
  // The judge's own roundings: some units in the last place of what it returned and of a long double.
  const double slack = 0x1p-50 * std::abs(e.mean) + 0x1p-58 * e.std;
  if (!within(got.mean, e.mean, got.mean_error + slack))
    out += fmt::format("mean {} +- {} and not {}; ", got.mean, got.mean_error, e.mean);
  if (!within(got.std, e.std, got.std_error + 0x1p-50 * e.std))
    out += fmt::format("std {} +- {} and not {}; ", got.std, got.std_error, e.std);
  return out;
}

std::string difference(const Histogram& got, const Reference& expected) {
  if (!got.valid) return expected.finite.empty() ? std::string() : "there is no histogram; ";
  if (expected.finite.empty()) return "there is a histogram; ";
  std::array<std::uint64_t, 256> bins{};
  std::uint64_t below = 0, above = 0, on_edges = 0;
  for (const long double x : expected.finite) {
    const long double bin = (x - static_cast<long double>(got.low)) / static_cast<long double>(got.width);
    const bool is_above = expected.summary.min.kind != ValueKind::real ? bin > 256 : x > static_cast<long double>(got.high);
    if (bin < 0) {
      ++below;
    } else if (is_above) {
      ++above;
    } else {
      if (std::abs(bin - std::round(bin)) < 1e-3L) ++on_edges;
      ++bins[static_cast<std::size_t>(std::clamp(bin, 0.0L, 255.0L))];
    }
  }
  std::string out;
  if (below != got.below || above != got.above) {
    out += fmt::format("beside it {} and {}, not {} and {}; ", got.below, got.above, below, above);
  }
  std::uint64_t moved = 0, sum = got.below + got.above;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sum += got.bins[i];
    moved += got.bins[i] > bins[i] ? got.bins[i] - bins[i] : 0;
  }
  if (sum != expected.finite.size()) out += fmt::format("{} values and not {}; ", sum, expected.finite.size());
  if (moved > on_edges) out += fmt::format("{} values in other bins, {} lie on edges; ", moved, on_edges);
  if (got.below + got.above > expected.finite.size() / 20) out += "more than a twentieth lies beside it; ";
  return out;
}

}  // namespace dlscope::core::test
