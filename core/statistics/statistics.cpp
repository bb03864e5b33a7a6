#include "core/statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/statistics/float_environment.h"
#include "core/statistics/sample.h"
#include "core/statistics/value_scan.h"
#include "core/statistics/workers.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kBlocksPerChunk = 64;  // 1 MiB; more where there would be too many chunks
constexpr std::uint64_t kMostChunks = 8192;
constexpr std::uint64_t kCheckedBlocks = 16;   // read at once through a MemoryReader
constexpr std::uint64_t kChunksPerThread = 4;  // fewer are not worth a thread
constexpr unsigned kMostThreads = 8;

// The whole pass. Chunks are cut and their moments combined in an order that depends on nothing but the layout, so any number of
// threads gives the same bits.
class ExactPass {
 public:
  ExactPass(const TensorValues& values, const MemoryOrder& order, ScanKind kind, std::optional<BinScale> bins,
            const StatisticsOptions& options)
      : values_(values), order_(order), kind_(kind), bins_(bins), options_(options) {
    block_ = ValueScan::block_values((values.dtype.bits + 7u) / 8u);
    std::uint64_t blocks = kBlocksPerChunk;
    const std::uint64_t all = (order.places() + block_ - 1) / block_;
    while (all > blocks * kMostChunks) blocks *= 2;
    chunk_places_ = blocks * block_;
    moments_.resize((order.places() + chunk_places_ - 1) / chunk_places_);
  }

  [[nodiscard]] Result<Statistics> run() {
    std::uint64_t threads = options_.threads;
    if (threads == 0) threads = std::min(std::max(std::thread::hardware_concurrency(), 1u), kMostThreads);
    const std::uint64_t useful = options_.threads != 0 ? moments_.size() : moments_.size() / kChunksPerThread;
    threads = std::clamp<std::uint64_t>(useful, 1, threads);
    std::vector<ValueScan> scans(threads, ValueScan(order_, values_.dtype, kind_, bins_));
    run_workers(threads, [&](std::size_t worker) { work(scans[worker], worker == 0); });
    if (error_) return std::unexpected(*error_);
    for (std::size_t i = 1; i < scans.size(); ++i) scans[0].merge(scans[i]);
    Moments moments;
    for (const Moments& one : moments_) moments.combine(one);
    Statistics out;
    out.summary.method = StatisticsMethod::exact;
    out.summary.count = order_.values();
    scans[0].finish(moments, out);
    return out;
  }

 private:
  void work(ValueScan& scan, bool is_caller) {
    const DefaultFloatEnvironment environment;
    const std::uint64_t at_once = values_.source.reader == nullptr ? 1 : kCheckedBlocks;
    ElementReader reader(order_, values_.source, at_once * block_);
    while (!ended_) {
      const std::uint64_t chunk = next_++;
      if (chunk >= moments_.size()) return;
      const std::uint64_t from = chunk * chunk_places_, to = std::min(order_.places(), from + chunk_places_);
      if (const auto done = add_chunk(reader, scan, from, to, moments_[chunk]); !done) return fail_with(done.error());
      const std::uint64_t all_done = done_ += to - from;
      if (is_caller && options_.progress) options_.progress(all_done, order_.places());
    }
  }

  [[nodiscard]] Result<void> add_chunk(ElementReader& reader, ValueScan& scan, std::uint64_t from, std::uint64_t to,
                                       Moments& moments) const {
    while (from < to) {
      const auto window = reader.read(from, to, block_);
      if (!window) return std::unexpected(window.error());
      for (std::uint64_t at = 0; at < window->count; at += block_) {
        if (options_.stop.stop_requested()) return fail(ErrorKind::cancelled, "the statistics were stopped");
        const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_, window->count - at));
        moments.combine(scan.add(window->data + at * reader.value_bytes(), count, from + at));
      }
      from += window->count;
    }
    return {};
  }

  void fail_with(Error error) {
    const std::lock_guard lock(failing_);
    if (!error_) error_ = std::move(error);
    ended_ = true;
  }

  const TensorValues& values_;
  const MemoryOrder& order_;
  ScanKind kind_;
  std::optional<BinScale> bins_;
  const StatisticsOptions& options_;
  std::uint32_t block_ = 1;
  std::uint64_t chunk_places_ = 1;
  std::vector<Moments> moments_;  // of each chunk
  std::atomic<std::uint64_t> next_ = 0, done_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex failing_;
  std::optional<Error> error_;
};

}  // namespace

bool has_statistics(DType dtype) { return scan_kind(dtype, false) != ScanKind::none; }

Result<Statistics> exact_statistics(const TensorValues& values, const StatisticsOptions& options) {
  const ScanKind kind = scan_kind(values.dtype, options.histogram);
  if (kind == ScanKind::none) {
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} cannot be decoded", dtype_name(values.dtype)));
  }
  const DefaultFloatEnvironment environment;
  const MemoryOrder order(values.layout, values.dtype, values.address);
  std::optional<BinScale> bins;
  Quantiles quantiles;
  if (options.histogram && (kind == ScanKind::floats || kind == ScanKind::integers) && order.places() > 0) {
    auto sample = take_sample(values, order, options.stop);
    if (!sample) return std::unexpected(sample.error());
    const SampledBulk bulk = bulk_of(*sample, values.dtype);
    if (bulk.any) bins = histogram_range(bulk.range, values.dtype);
    quantiles = bulk.quantiles;
  }
  auto out = ExactPass(values, order, kind, bins, options).run();
  if (out && out->quantiles.method == StatisticsMethod::none) out->quantiles = quantiles;
  return out;
}

}  // namespace dlscope::core
