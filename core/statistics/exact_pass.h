// ExactPass: computes the statistics of all values, on one or more threads, at once or in slices of time (StatisticsTask).
// The values are split into chunks that depend only on the layout, and the chunks' moments are combined in the order of the chunks: so
// the result is the same to the last bit whatever the number of threads, and however often it was paused.
// thread: one at a time calls it; advance() starts the others itself and joins them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/elements/element_reader.h"
#include "core/elements/memory_order.h"
#include "core/statistics/device_blocks.h"
#include "core/statistics/histogram_range.h"
#include "core/statistics/sample.h"
#include "core/statistics/statistics.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {

class ExactPass {
 public:
  // values.dtype has statistics; `order` is that of `values`, and outlives the pass. A histogram and quantiles cost a sample first,
  // unless the bulk of one is given (SampledBulk::any). Fails when that could not be read or was stopped.
  [[nodiscard]] static Result<ExactPass> begin(const TensorValues& values, const MemoryOrder& order, bool histogram,
                                               const std::stop_token& stop = {}, const SampledBulk& known = {});

  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  // Works until all is read or each thread has worked for so many nanoseconds, on at most `threads` threads (0: as many as are of use).
  // Something is read with every call, however busy the machine is.
  // progress: as in StatisticsOptions. Fails when a byte cannot be read or it was stopped; a failed pass cannot go on.
  [[nodiscard]] Result<void> advance(unsigned threads, std::int64_t nanoseconds = kNoLimit, const std::stop_token& stop = {},
                                     const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});
  [[nodiscard]] std::uint64_t places_done() const { return shared_->done; }
  [[nodiscard]] bool complete() const { return shared_->done == order_->places(); }
  // Once it is complete. May be called once.
  [[nodiscard]] Statistics finish();

 private:
  // A chunk in progress: places [from, to) are left to read; `moments` are those of the places before.
  struct Chunk {
    std::uint64_t number = 0, from = 0, to = 0;
    Moments moments;
  };
  // What belongs to one thread; kept from call to call, with its buffers.
  struct Worker {
    ElementReader reader;
    ValueScan scan;
  };
  struct Shared {
    std::mutex mutex;  // unfinished, error
    std::deque<Chunk> unfinished;
    std::optional<Error> error;
    std::atomic<std::uint64_t> next = 0, done = 0;
    std::atomic<bool> failed = false;
  };
  struct Call {
    std::int64_t nanoseconds;
    const std::stop_token& stop;
    const std::function<void(std::uint64_t, std::uint64_t)>& progress;
  };

  ExactPass(const TensorValues& values, const MemoryOrder& order, ScanKind kind, std::optional<BinScale> bins);
  void work(Worker& worker, const Call& call, bool is_caller);
  [[nodiscard]] std::optional<Chunk> take_chunk();
  // False: the time is over, or it failed.
  [[nodiscard]] bool read_chunk(Worker& worker, Chunk& chunk, const Call& call, std::int64_t ends);
  [[nodiscard]] const std::byte* next_to_read(const Worker& worker, const ElementReader::Window& window, std::uint64_t at) const;
  // The blocks from chunk.from on that a device has summarised. False: it failed.
  [[nodiscard]] bool take_device_blocks(Worker& worker, Chunk& chunk);
  void fail_with(Error error);

  TensorValues values_;
  const MemoryOrder* order_;
  ScanKind kind_;
  std::optional<BinScale> bins_;
  Quantiles sampled_quantiles_;
  std::uint32_t block_ = 1;
  std::uint64_t chunk_places_ = 1;
  // Whether prefetching the source of a copy helps: only in memory of this process. An address of another process would cost a failed
  // page lookup each time.
  bool fetches_copied_ = false;
  std::vector<Moments> moments_;  // of each chunk
  std::deque<Worker> workers_;
  std::unique_ptr<DeviceBlocks> device_;  // null: the values are read
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

}  // namespace dlscope::core
