// The statistics of a sample (sample.h): moments and quantiles, and how well the mean is known.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/float_environment.h"
#include "core/base/radix_sort.h"
#include "core/base/scrambled.h"
#include "core/statistics/sample.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kSortedValues = std::size_t{1} << 16;
constexpr double kConfidence95 = 1.96;

// Half the width of the mean's confidence interval, from how far the means of the clusters lie apart: neighbours are often alike,
// so that their number says little. NaN, which is "not known", where they do not differ at all: such a sample says nothing of what is
// rare (one value in 1e8 may be the only one that is not 0), and a width of 0 would claim that all values were seen.
double mean_error(const std::vector<double>& cluster_means, double share_seen) {
  const auto n = static_cast<double>(cluster_means.size());
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, squares = 0;
  for (const double one : cluster_means) mean += one / n;
  for (const double one : cluster_means) squares += (one - mean) * (one - mean);
  if (std::ranges::adjacent_find(cluster_means, std::not_equal_to<>()) == cluster_means.end())
    return std::numeric_limits<double>::quiet_NaN();
  return kConfidence95 * std::sqrt(squares / (n - 1) / n * (1 - share_seen));
}

double as_double(DType dtype, const std::byte* value, std::size_t bytes) {
  return Number::of(decode_element(dtype, {value, bytes}, 0)).as_double();
}

bool kind_is_integer(DType dtype) {
  const auto code = static_cast<DTypeCode>(dtype.code);
  return code == DTypeCode::int_ || code == DTypeCode::uint;
}

// What each bit pattern of a type of at most 16 bits stands for.
std::vector<double> values_of_codes(DType dtype) {
  std::vector<double> out(std::size_t{1} << dtype.bits);
  for (std::size_t code = 0; code < out.size(); ++code) {
    std::byte bytes[2];
    const auto bits = static_cast<std::uint16_t>(code);
    std::memcpy(bytes, &bits, sizeof bits);
    out[code] = as_double(dtype, bytes, sizeof bytes);
  }
  return out;
}

// The mean of a cluster's finite values; NaN where there is none.
double mean_of_codes(const std::vector<double>& values, const std::byte* cluster, std::uint32_t count, std::size_t value_bytes) {
  double sum = 0, finite = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, cluster + i * value_bytes, value_bytes);
    if (!std::isfinite(values[code])) continue;
    sum += values[code];
    ++finite;
  }
  return sum / finite;
}

// A number in the order of numbers: a negative one's bits count backwards.
std::uint64_t key_of_number(double finite) {
  const auto bits = std::bit_cast<std::uint64_t>(finite), sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace

SampledBulk bulk_of(const Sample& sample, DType dtype) {
  const DType lane{dtype.code, dtype.bits, 1};
  const std::size_t all = sample.values.size() / sample.value_bytes;
  const std::size_t step = std::max<std::size_t>((all + kSortedValues - 1) / kSortedValues, 1);
  std::vector<double> finite;
  finite.reserve(kSortedValues);
  SampledBulk out;
  const auto take_each = [&](auto number_at) {
    for (std::size_t i = 0; i < all; i += step) {
      const std::size_t group = std::min(step, all - i);  // one value of each, at a position without a period
      const double value = number_at(sample.values.data() + (i + scrambled(i) % group) * sample.value_bytes);
      if (std::isfinite(value)) finite.push_back(value + 0.0);
    }
  };
  if (lane == *dtype_from_name("float32")) {  // what most tensors are; decoding any type takes several times as long
    take_each([](const std::byte* value) {
      float real = 0;
      std::memcpy(&real, value, sizeof real);
      return double{real};
    });
  } else {
    take_each([&](const std::byte* value) { return as_double(lane, value, sample.value_bytes); });
  }
  if (finite.empty()) return out;
  const auto rank = [&](double share) {
    const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(finite.size())));
    return std::clamp<std::size_t>(at, 1, finite.size()) - 1;
  };
  sort_by_key(finite, key_of_number);
  const auto quantile = [&](double share) { return finite[rank(share)]; };
  out.any = true;
  out.range = {finite.front(), finite.back(), quantile(kBulkShare), quantile(1 - kBulkShare)};
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) out.quantiles.values[i] = quantile(kQuantiles[i]);
  // Of a small tensor every value has been sorted. An integer beyond 2^53 was rounded on the way to a double.
  const double largest = std::max(std::abs(finite.front()), std::abs(finite.back()));
  const bool rounded = kind_is_integer(lane) && lane.bits == 64 && largest >= 0x1p53;
  const bool all_sorted = sample.whole && step <= 1;
  out.quantiles.method = all_sorted && !rounded ? StatisticsMethod::exact : StatisticsMethod::sample;
  if (out.quantiles.method == StatisticsMethod::exact)
    out.quantiles.distinct = static_cast<std::uint32_t>(std::ranges::unique(finite).begin() - finite.begin());
  return out;
}

Result<Statistics> sample_statistics(const TensorValues& values, const StatisticsOptions& options) {
  auto sampled = sample_with_bulk(values, options);
  if (!sampled) return std::unexpected(sampled.error());
  return sampled->statistics;
}

Result<SampledStatistics> sample_with_bulk(const TensorValues& values, const StatisticsOptions& options) {
  const auto exactly = [&]() -> Result<SampledStatistics> {
    auto exact = exact_statistics(values, options);
    if (!exact) return std::unexpected(exact.error());
    return SampledStatistics{*exact, {}};
  };
  const ScanKind kind = scan_kind(values.dtype, options.histogram);
  if (kind == ScanKind::none) {
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} cannot be decoded", dtype_name(values.dtype)));
  }
  const DefaultFloatEnvironment environment;
  const MemoryOrder order(values.layout, values.dtype, values.address);
  if (is_taken_whole(order)) return exactly();
  const auto sample = take_sample(values, order, options.stop);
  if (!sample) return std::unexpected(sample.error());
  TensorValues meant = values;  // as they are in the sample
  meant.signs = {};
  std::optional<BinScale> bins;
  SampledBulk bulk;
  if (options.histogram && (kind == ScanKind::floats || kind == ScanKind::integers)) {
    bulk = bulk_of(*sample, values.dtype);
    if (bulk.any) bins = histogram_range(bulk.range, values.dtype);
  }
  ValueScan scan(order, meant, kind, bins);
  Moments moments;
  std::vector<double> means, codes;
  if (kind == ScanKind::codes) codes = values_of_codes({values.dtype.code, values.dtype.bits, 1});
  for (std::size_t i = 0; i < sample->places.size(); ++i) {
    const std::byte* const cluster = sample->values.data() + i * sample->cluster * sample->value_bytes;
    const Moments one = scan.add(cluster, sample->cluster, sample->places[i]);
    moments.combine(one);
    const double mean =
        kind == ScanKind::codes ? mean_of_codes(codes, cluster, sample->cluster, sample->value_bytes) : spread_of(one).mean;
    if (std::isfinite(mean)) means.push_back(mean);
  }
  Statistics out;
  ValueSummary& summary = out.summary;
  summary.method = StatisticsMethod::sample;
  summary.count = order.values();
  scan.finish(moments, out);
  const double share = static_cast<double>(sample->places.size() * sample->cluster) / static_cast<double>(order.places());
  summary.mean_error = mean_error(means, share);
  summary.std_error = std::numeric_limits<double>::quiet_NaN();
  if (out.quantiles.method == StatisticsMethod::none) {
    out.quantiles = bulk.quantiles;
  } else {
    out.quantiles.method = StatisticsMethod::sample;
  }
  return SampledStatistics{out, bulk};
}

}  // namespace dlscope::core
