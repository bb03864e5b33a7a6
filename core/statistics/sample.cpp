#include "core/statistics/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/checked_math.h"
#include "core/devices/block_scanner.h"
#include "core/statistics/float_environment.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kSampleValues = std::uint64_t{1} << 20;
constexpr std::uint32_t kCluster = 64, kFarCluster = 8;  // far: each value costs a cache line and a page
constexpr std::int64_t kFarBits = 512 * 8;
constexpr std::size_t kSortedValues = std::size_t{1} << 16;
constexpr double kConfidence95 = 1.96;

// SplitMix64: a number that looks like chance and depends on `i` only.
std::uint64_t scrambled(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
  i = (i ^ i >> 27) * 0x94d049bb133111eb;
  return i ^ i >> 31;
}

// Half the width of the mean's confidence interval, from how far the means of the clusters lie apart: neighbours are often alike,
// so that their number says little.
double mean_error(const std::vector<double>& cluster_means, double share_seen) {
  const auto n = static_cast<double>(cluster_means.size());
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, squares = 0;
  for (const double one : cluster_means) mean += one / n;
  for (const double one : cluster_means) squares += (one - mean) * (one - mean);
  return kConfidence95 * std::sqrt(squares / (n - 1) / n * (1 - share_seen));
}

double as_double(DType dtype, const std::byte* value, std::size_t bytes) {
  return Number::of(decode_element(dtype, {value, bytes}, 0)).as_double();
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

}  // namespace

namespace {

// From a device all clusters come at once: each for itself would be waited for.
Result<void> bring_clusters(const TensorValues& values, const MemoryOrder& order, Sample& sample) {
  std::vector<Address> addresses;
  const auto add_runs = [&](bool as_pieces) {
    for (const std::uint64_t place : sample.places) {
      AffineCursor cursor(order.bits(), place, std::min(order.places(), place + sample.cluster));
      for (AffineRun run; cursor.next(run);) {
        const bool straight = run.count == sample.cluster && run.step == static_cast<std::int64_t>(order.value_bits());
        if (as_pieces && !straight) return false;
        for (std::uint64_t i = 0; i < (as_pieces ? 1 : run.count); ++i)
          addresses.push_back(order.base() + static_cast<Address>((run.first + static_cast<std::int64_t>(i) * run.step) / 8));
      }
    }
    return true;
  };
  std::size_t each = sample.cluster * sample.value_bytes;
  if (!add_runs(true)) {
    addresses.clear();
    each = sample.value_bytes;
    (void)add_runs(false);
  }
  sample.values.resize(addresses.size() * each);
  std::vector<std::uint8_t> complete(addresses.size());
  values.source.reader->gather(addresses, each, sample.values, complete);
  const auto missing = std::ranges::find(complete, 0);
  if (missing == complete.end()) return {};
  return fail(ErrorKind::environment, fmt::format("the byte at {:#x} cannot be read: {}",
                                                  addresses[static_cast<std::size_t>(missing - complete.begin())], values.source.reader->problem()));
}

bool comes_from_device(const TensorValues& values, const MemoryOrder& order) {
  const auto* const scanner = dynamic_cast<const BlockScanner*>(values.source.reader);
  return order.value_bits() % 8 == 0 && order.bits().origin % 8 == 0 && scanner != nullptr && scanner->can_scan(order.base());
}

}  // namespace

Result<Sample> take_sample(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop) {
  Sample sample;
  const bool far = !order.bits().axes.empty() && order.bits().axes.front().step > kFarBits;
  const std::uint64_t most = far ? kSampleValues / 8 : kSampleValues;
  sample.whole = order.places() <= most;
  sample.cluster = sample.whole ? ValueScan::block_values((values.dtype.bits + 7u) / 8u) : far ? kFarCluster : kCluster;
  const std::uint64_t clusters = sample.whole ? (order.places() + sample.cluster - 1) / sample.cluster : most / sample.cluster;
  ElementReader reader(order, values.source, sample.cluster);
  sample.value_bytes = reader.value_bytes();
  sample.places.reserve(clusters);
  sample.values.reserve(std::min(order.places(), clusters * sample.cluster) * sample.value_bytes);
  const bool at_once = !sample.whole && comes_from_device(values, order);
  for (std::uint64_t i = 0; i < clusters; ++i) {
    if (i % 64 == 0 && stop.stop_requested()) return fail(ErrorKind::cancelled, "the statistics were stopped");
    std::uint64_t from = i * sample.cluster;
    if (!sample.whole) {
      const auto begin = static_cast<std::uint64_t>(static_cast<UInt128>(order.places()) * i / clusters);
      const auto end = static_cast<std::uint64_t>(static_cast<UInt128>(order.places()) * (i + 1) / clusters);
      from = begin + scrambled(i) % (end - begin - sample.cluster + 1);
    }
    const std::uint64_t to = std::min(order.places(), from + sample.cluster);
    sample.places.push_back(from);
    if (at_once) continue;
    const auto window = reader.read(from, to, to - from);
    if (!window) return std::unexpected(window.error());
    sample.values.insert(sample.values.end(), window->data, window->data + window->count * sample.value_bytes);
  }
  if (at_once) {
    if (const auto brought = bring_clusters(values, order, sample); !brought) return std::unexpected(brought.error());
  }
  return sample;
}

SampledBulk bulk_of(const Sample& sample, DType dtype) {
  const DType lane{dtype.code, dtype.bits, 1};
  const std::size_t all = sample.values.size() / sample.value_bytes;
  const std::size_t step = (all + kSortedValues - 1) / kSortedValues;
  std::vector<double> sorted;
  SampledBulk out;
  for (std::size_t i = 0; i < all; i += std::max<std::size_t>(step, 1)) {
    const double value = as_double(lane, sample.values.data() + i * sample.value_bytes, sample.value_bytes);
    if (std::isfinite(value)) sorted.push_back(value + 0.0);
  }
  if (sorted.empty()) return out;
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
  };
  out.any = true;
  out.range = {sorted.front(), sorted.back(), quantile(kBulkShare), quantile(1 - kBulkShare)};
  out.quantiles.method = StatisticsMethod::sample;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) out.quantiles.values[i] = quantile(kQuantiles[i]);
  return out;
}

Result<Statistics> sample_statistics(const TensorValues& values, const StatisticsOptions& options) {
  const ScanKind kind = scan_kind(values.dtype, options.histogram);
  if (kind == ScanKind::none) {
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} cannot be decoded", dtype_name(values.dtype)));
  }
  const DefaultFloatEnvironment environment;
  const MemoryOrder order(values.layout, values.dtype, values.address);
  if (order.places() <= kSampleValues / 8) return exact_statistics(values, options);
  const auto sample = take_sample(values, order, options.stop);
  if (!sample) return std::unexpected(sample.error());
  if (sample->whole) return exact_statistics(values, options);
  std::optional<BinScale> bins;
  SampledBulk bulk;
  if (options.histogram && kind != ScanKind::complex) {
    bulk = bulk_of(*sample, values.dtype);
    if (bulk.any && kind != ScanKind::codes) bins = histogram_range(bulk.range, values.dtype);
  }
  ValueScan scan(order, values.dtype, kind, bins);
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
  return out;
}

}  // namespace dlscope::core
