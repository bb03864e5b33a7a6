#include "core/statistics/sample.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "core/base/checked_math.h"
#include "core/base/scrambled.h"
#include "core/devices/block_scanner.h"
#include "core/elements/reverse_bytes.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kSampleValues = std::uint64_t{1} << 20;
constexpr std::uint32_t kCluster = 128, kFarCluster = 8;  // far: each value costs a cache line and a page
constexpr std::int64_t kFarBits = 512 * 8;
constexpr std::size_t kLineBytes = 64;      // of the cache
constexpr std::size_t kFetchedAhead = 512;  // pieces: they fit into the second-level cache

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

// Of not much more than the sample, neighbouring intervals would often take the same block, and the rest would be seen by nobody.
bool is_taken_whole(const MemoryOrder& order) { return order.places() <= 2 * most_values(order); }

Result<Sample> take_sample(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop) {
  auto sample = take_stored(values, order, stop);
  if (sample && values.signs.any()) apply_sign_bits({values.dtype.code, values.dtype.bits, 1}, values.signs, sample->values);
  return sample;
}

}  // namespace dlscope::core
