#include "core/statistics/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "core/base/checked_math.h"
#include "core/base/float_environment.h"
#include "core/base/radix_sort.h"
#include "core/base/scrambled.h"
#include "core/devices/block_scanner.h"
#include "core/elements/reverse_bytes.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kSampleValues = std::uint64_t{1} << 20;
constexpr std::uint32_t kCluster = 128, kFarCluster = 8;  // far: each value costs a cache line and a page
constexpr std::int64_t kFarBits = 512 * 8;
constexpr std::size_t kSortedValues = std::size_t{1} << 16;
constexpr std::size_t kLineBytes = 64;      // of the cache
constexpr std::size_t kFetchedAhead = 512;  // pieces: they fit into the second-level cache
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

struct Pieces {
  std::vector<Address> addresses;
  std::size_t each = 0;  // bytes
  bool on_device = false;
};

// Each cluster in one piece. nullopt: in some the values do not lie side by side.
std::optional<Pieces> clusters_in_one_piece(const MemoryOrder& order, const Sample& sample) {
  Pieces out{.addresses = {}, .each = sample.cluster * sample.value_bytes};
  out.addresses.reserve(sample.places.size());
  for (const std::uint64_t place : sample.places) {
    AffineCursor cursor(order.bits(), place, place + sample.cluster);
    AffineRun run;
    const bool straight =
        cursor.next(run) && run.count == sample.cluster && run.step == static_cast<std::int64_t>(order.value_bits());
    if (!straight) return std::nullopt;
    out.addresses.push_back(order.base() + static_cast<Address>(run.first / 8));
  }
  return out;
}

Pieces value_by_value(const MemoryOrder& order, const Sample& sample) {
  Pieces out{.addresses = {}, .each = sample.value_bytes};
  for (const std::uint64_t place : sample.places) {
    AffineCursor cursor(order.bits(), place, place + sample.cluster);
    for (AffineRun run; cursor.next(run);) {
      for (std::uint64_t i = 0; i < run.count; ++i)
        out.addresses.push_back(order.base() + static_cast<Address>((run.first + static_cast<std::int64_t>(i) * run.step) / 8));
    }
  }
  return out;
}

// Has the processor fetch pieces that are copied next: as they lie far apart, whoever copies them would wait for each by itself.
// Fetching what is no address of this process does nothing.
void fetch_ahead(std::span<const Address> pieces, std::size_t each) {
  for (const Address piece : pieces) {
    for (std::size_t line = 0; line < each; line += kLineBytes) __builtin_prefetch(reinterpret_cast<const void*>(piece + line));
  }
}

// False: some byte cannot be read, or it was stopped.
bool read_at_once(const Pieces& pieces, const MemoryReader* reader, const std::stop_token& stop, Sample& sample) {
  const std::size_t at_once = pieces.on_device ? pieces.addresses.size() : kFetchedAhead;
  sample.values.resize(pieces.addresses.size() * pieces.each);
  std::vector<std::uint8_t> complete(pieces.addresses.size());
  for (std::size_t done = 0, now = 0; done < pieces.addresses.size(); done += now) {
    if (stop.stop_requested()) break;
    now = std::min(pieces.addresses.size() - done, at_once);
    const auto addresses = std::span(pieces.addresses).subspan(done, now);
    if (!pieces.on_device) fetch_ahead(addresses, pieces.each);
    const auto out = std::span(sample.values).subspan(done * pieces.each, now * pieces.each);
    if (reader != nullptr) {
      reader->gather(addresses, pieces.each, out, std::span(complete).subspan(done, now));
      continue;
    }
    for (std::size_t i = 0; i < now; ++i)
      std::memcpy(out.data() + i * pieces.each, reinterpret_cast<const std::byte*>(addresses[i]), pieces.each);
  }
  const bool all = !stop.stop_requested() && (reader == nullptr || std::ranges::find(complete, 0) == complete.end());
  if (all) return true;
  sample.values.clear();
  return false;
}

// What can be read with one call of the reader rather than one for each cluster: a device waits for each, and the kernel's way there
// takes longer than its bytes.
std::optional<Pieces> pieces_at_once(const TensorValues& values, const MemoryOrder& order, const Sample& sample) {
  if (order.value_bits() % 8 != 0 || order.bits().origin % 8 != 0) return std::nullopt;
  auto pieces = clusters_in_one_piece(order, sample);
  const auto* const scanner = dynamic_cast<const BlockScanner*>(values.source.reader);
  const bool on_device = scanner != nullptr && scanner->can_scan(order.base());
  if (!pieces && on_device) pieces = value_by_value(order, sample);
  if (pieces) pieces->on_device = on_device;
  return pieces;
}

// The tensor is divided into blocks of the size of a cluster, and [0, blocks) into equal real intervals: the block that a
// pseudo-random point of each interval falls into is taken. So each place is as likely as any other; a cluster that had to lie inside
// its interval would miss the interval's ends, and with them a column of an array whose rows are as long as an interval.
void choose_clusters(const MemoryOrder& order, std::uint64_t clusters, Sample& sample) {
  sample.places.reserve(clusters);
  const std::uint64_t blocks = (order.places() + sample.cluster - 1) / sample.cluster;
  for (std::uint64_t i = 0; i < clusters; ++i) {
    if (sample.whole) {
      sample.places.push_back(i * sample.cluster);
      continue;
    }
    constexpr std::uint64_t kParts = std::uint64_t{1} << 32;  // of an interval
    const UInt128 point = static_cast<UInt128>(blocks) * (i * kParts + scrambled(i) % kParts);
    const auto block = static_cast<std::uint64_t>(point / clusters / kParts);
    sample.places.push_back(std::min(block * sample.cluster, order.places() - sample.cluster));
  }
}

bool is_far(const MemoryOrder& order) { return !order.bits().axes.empty() && order.bits().axes.front().step > kFarBits; }

std::uint64_t most_values(const MemoryOrder& order) { return is_far(order) ? kSampleValues / 8 : kSampleValues; }

// Of not much more than the sample, neighbouring intervals would often take the same block, and the rest would be seen by nobody.
bool is_taken_whole(const MemoryOrder& order) { return order.places() <= 2 * most_values(order); }

Result<Sample> take_stored(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop) {
  Sample sample;
  const std::uint64_t most = most_values(order);
  sample.whole = is_taken_whole(order);
  sample.cluster = sample.whole    ? ValueScan::block_values((values.dtype.bits + 7u) / 8u)
                   : is_far(order) ? kFarCluster
                                   : kCluster;
  const std::uint64_t clusters = sample.whole ? (order.places() + sample.cluster - 1) / sample.cluster : most / sample.cluster;
  sample.value_bytes = (order.value_bits() + 7) / 8;
  choose_clusters(order, clusters, sample);
  if (const auto pieces = sample.whole ? std::nullopt : pieces_at_once(values, order, sample)) {
    if (read_at_once(*pieces, values.source.reader, stop, sample)) {
      if (values.source.reversed_bytes != 0) reverse_bytes(values.source.reversed_bytes, sample.values, sample.values.data());
      return sample;
    }  // otherwise the loop says why not
  }
  ElementReader reader(order, values.source, sample.cluster);
  sample.values.reserve(std::min(order.places(), clusters * sample.cluster) * sample.value_bytes);
  for (std::uint64_t i = 0; i < clusters; ++i) {
    if (i % 64 == 0 && stop.stop_requested()) return fail(ErrorKind::cancelled, "the statistics were stopped");
    const std::uint64_t from = sample.places[i], to = std::min(order.places(), from + sample.cluster);
    const auto window = reader.read(from, to, to - from);
    if (!window) return std::unexpected(window.error());
    sample.values.insert(sample.values.end(), window->data, window->data + window->count * sample.value_bytes);
  }
  return sample;
}

}  // namespace

Result<Sample> take_sample(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop) {
  auto sample = take_stored(values, order, stop);
  if (sample && values.signs.any()) apply_sign_bits({values.dtype.code, values.dtype.bits, 1}, values.signs, sample->values);
  return sample;
}

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
