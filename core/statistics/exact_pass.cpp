#include "core/statistics/exact_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/base/workers.h"
#include "core/memory/mapped_here.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kBlocksPerChunk = 64;  // 1 MiB; more where there would be too many chunks
constexpr std::uint64_t kMaxChunks = 8192;
constexpr std::uint64_t kCheckedBlocks = 16;   // read at once through a MemoryReader

}  // namespace

Result<ExactPass> ExactPass::begin(const TensorValues& values, const MemoryOrder& order, bool histogram,
                                   const std::stop_token& stop, const SampledBulk& known) {
  const ScanKind kind = scan_kind(values.dtype, histogram);
  if (kind == ScanKind::none) {
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} cannot be decoded", dtype_name(values.dtype)));
  }
  std::optional<BinScale> bins;
  Quantiles quantiles;
  if (histogram && (kind == ScanKind::floats || kind == ScanKind::integers) && order.places() > 0) {
    const DefaultFloatEnvironment environment;
    SampledBulk bulk = known;
    if (!bulk.any) {
      const auto sample = take_sample(values, order, stop);
      if (!sample) return std::unexpected(sample.error());
      bulk = bulk_of(*sample, values.dtype);
    }
    if (bulk.any) bins = histogram_range(bulk.range, values.dtype);
    quantiles = bulk.quantiles;
  }
  ExactPass pass(values, order, kind, bins);
  // A device summarises what is stored.
  if (!values.signs.negate && (kind == ScanKind::floats || kind == ScanKind::integers || kind == ScanKind::codes))
    pass.device_ = DeviceBlocks::make(values, order, pass.block_, bins, kind == ScanKind::codes);
  pass.sampled_quantiles_ = quantiles;
  return pass;
}

ExactPass::ExactPass(const TensorValues& values, const MemoryOrder& order, ScanKind kind, std::optional<BinScale> bins)
    : values_(values), order_(&order), kind_(kind), bins_(bins) {
  block_ = ValueScan::block_values((values.dtype.bits + 7u) / 8u);
  std::uint64_t blocks = kBlocksPerChunk;
  const std::uint64_t all = (order.places() + block_ - 1) / block_;
  while (all > blocks * kMaxChunks) blocks *= 2;
  chunk_places_ = blocks * block_;
  fetches_copied_ = is_mapped_here(order.base());
  moments_.resize((order.places() + chunk_places_ - 1) / chunk_places_);
}

Result<void> ExactPass::advance(unsigned threads, std::int64_t nanoseconds, const std::stop_token& stop,
                                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const unsigned count = device_ ? 1 : useful_threads(threads, moments_.size());  // a device has threads of its own
  const std::uint64_t at_once = values_.source.reader == nullptr ? 1 : kCheckedBlocks;
  while (workers_.size() < count) {
    workers_.emplace_back(ElementReader(*order_, values_.source, at_once * block_),
                          ValueScan(*order_, values_, kind_, bins_));
  }
  const Call call{nanoseconds, stop, progress};
  run_workers(count, [&](std::size_t worker) { work(workers_[worker], call, worker == 0); });
  if (shared_->error) return std::unexpected(*shared_->error);
  return {};
}

void ExactPass::work(Worker& worker, const Call& call, bool is_caller) {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = call.nanoseconds == kNoLimit ? kNoLimit : monotonic_ns() + call.nanoseconds;
  while (auto chunk = take_chunk()) {
    if (!read_chunk(worker, *chunk, call, ends)) {
      const std::lock_guard lock(shared_->mutex);
      shared_->unfinished.push_back(*chunk);
      return;
    }
    moments_[chunk->number] = chunk->moments;
    if (is_caller && call.progress) call.progress(shared_->done, order_->places());
    if (ends != kNoLimit && monotonic_ns() >= ends) return;
  }
}

std::optional<ExactPass::Chunk> ExactPass::take_chunk() {
  if (shared_->failed) return std::nullopt;
  {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->unfinished.empty()) {
      Chunk chunk = shared_->unfinished.front();
      shared_->unfinished.pop_front();
      return chunk;
    }
  }
  const std::uint64_t number = shared_->next++;
  if (number >= moments_.size()) return std::nullopt;
  const std::uint64_t from = number * chunk_places_;
  return Chunk{number, from, std::min(order_->places(), from + chunk_places_), {}};
}

bool ExactPass::read_chunk(Worker& worker, Chunk& chunk, const Call& call, std::int64_t ends) {
  while (chunk.from < chunk.to) {
    if (!take_device_blocks(worker, chunk)) return false;
    if (chunk.from == chunk.to) break;
    const std::uint64_t to = device_ ? std::min<std::uint64_t>(chunk.to, chunk.from + block_) : chunk.to;
    const auto window = worker.reader.read(chunk.from, to, block_);
    if (!window) {
      fail_with(window.error());
      return false;
    }
    for (std::uint64_t at = 0; at < window->count; at += block_) {
      if (call.stop.stop_requested()) {
        fail_with({ErrorKind::cancelled, "the statistics were stopped"});
        return false;
      }
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_, window->count - at));
      const std::byte* const values = window->data + at * worker.reader.value_bytes();
      const std::byte* const ahead = next_to_read(worker, *window, at);
      chunk.moments.combine(worker.scan.add(values, count, chunk.from + at, ahead));
    }
    chunk.from += window->count;
    shared_->done += window->count;
    if (chunk.from < chunk.to && ends != kNoLimit && monotonic_ns() >= ends) return false;
  }
  return true;
}

// What is read after the block at `at` of a window, for the processor to fetch meanwhile: the block behind it or, where windows
// are copied, what the next one copies instead of this block.
const std::byte* ExactPass::next_to_read(const Worker& worker, const ElementReader::Window& window, std::uint64_t at) const {
  const std::size_t bytes = worker.reader.value_bytes();
  if (values_.source.reader != nullptr)
    return fetches_copied_ && window.next != 0 ? reinterpret_cast<const std::byte*>(window.next + at * bytes) : nullptr;
  return window.count - at >= 2 * std::uint64_t{block_} ? window.data + (at + block_) * bytes : nullptr;
}

bool ExactPass::take_device_blocks(Worker& worker, Chunk& chunk) {
  while (device_ && chunk.from < chunk.to) {
    const auto block = device_->block_at(chunk.from);
    if (!block) {
      fail_with(block.error());
      return false;
    }
    if (block->plain == 0) return true;  // to be read
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_, chunk.to - chunk.from));
    chunk.moments.combine(worker.scan.add(*block, count));
    chunk.from += count;
    shared_->done += count;
  }
  return true;
}

void ExactPass::fail_with(Error error) {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->error) shared_->error = std::move(error);
  shared_->failed = true;
}

Statistics ExactPass::finish() {
  const DefaultFloatEnvironment environment;
  if (workers_.empty()) {
    workers_.emplace_back(ElementReader(*order_, values_.source, 1), ValueScan(*order_, values_, kind_, bins_));
  }
  ValueScan& all = workers_.front().scan;
  for (std::size_t i = 1; i < workers_.size(); ++i) all.merge(workers_[i].scan);
  if (device_) all.add(device_->bins(), device_->codes());
  Moments moments;
  for (const Moments& one : moments_) moments.combine(one);
  Statistics out;
  out.summary.method = StatisticsMethod::exact;
  out.summary.count = order_->values();
  all.finish(moments, out);
  if (out.quantiles.method == StatisticsMethod::none) out.quantiles = sampled_quantiles_;
  return out;
}

}  // namespace dlscope::core
