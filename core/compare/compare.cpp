#include "core/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/base/workers.h"
#include "core/compare/pair_order.h"
#include "core/compare/pair_scan.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kChunkValues = std::uint64_t{1} << 18;
constexpr std::uint64_t kReadAtOnce = std::uint64_t{1} << 20;  // bytes, through a MemoryReader; fewer take longer (find_value.cpp)

Address moved(Address address, std::int64_t by) { return address + static_cast<std::uint64_t>(by); }

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

std::string why_not_comparable(const ComparedTensor& a, const ComparedTensor& b) {
  if (!std::ranges::equal(a.layout.shape, b.layout.shape))
    return fmt::format("the shapes differ: {} and {}", shape_text(a.layout.shape), shape_text(b.layout.shape));
  for (const ComparedTensor* one : {&a, &b}) {
    const bool a_byte_each = one->dtype.bits < 8 && one->dtype.lanes == 1 && one->layout.item_bits == 8;
    if (one->layout.item_bits != one->dtype.item_bits() && !a_byte_each)
      return fmt::format("the items of {} are {} bits apart from what they hold", dtype_name(one->dtype), one->layout.item_bits);
  }
  return why_not_comparable(a.dtype, b.dtype);
}

Result<Layout> broadcast_to(LayoutView layout, std::span<const std::int64_t> shape) {
  const auto no = [&] {
    return fail(ErrorKind::invalid, fmt::format("{} cannot be broadcast to {}", shape_text(layout.shape), shape_text(shape)));
  };
  if (layout.shape.size() > shape.size()) return no();
  Layout out{{shape.begin(), shape.end()}, std::vector<std::int64_t>(shape.size(), 0), layout.item_bits};
  const std::size_t added = shape.size() - layout.shape.size();
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] == shape[added + d])
      out.stride_bits[added + d] = layout.stride_bits[d];
    else if (layout.shape[d] != 1)
      return no();
  }
  return out;
}

// Chunks of the order, which depend on the layouts alone, and the work on one of them.
class CompareTask::Pass {
 public:
  // Values done and in all. thread: the caller's.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

  Pass(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance)
      : a_(a), b_(b), tolerance_(tolerance), order_(a.layout, b.layout, a.dtype.lanes, a.dtype.bits, b.dtype.bits) {
    for (std::size_t i = 0; i < order_.boxes().size(); ++i) {
      const std::uint64_t count = order_.boxes()[i].count;
      for (std::uint64_t from = 0; from < count; from += kChunkValues)
        chunks_.push_back({i, from, std::min(count, from + kChunkValues)});
    }
  }

  // Works until every chunk is done or each thread has worked for so many nanoseconds, on at most `threads` threads (0: as many
  // as are of use). Each does one chunk at least, however busy the machine is. Fails when a byte cannot be read or it was stopped;
  // a failed pass cannot go on.
  [[nodiscard]] Result<void> advance(unsigned threads, std::int64_t nanoseconds, const std::stop_token& stop = {},
                                     const Progress& progress = {}) {
    const unsigned count = useful_threads(threads, chunks_.size());
    while (workers_.size() < count) workers_.push_back(make_worker());
    run_workers(count, [&](std::size_t number) {
      const DefaultFloatEnvironment environment;
      const std::int64_t ends = nanoseconds == kNoLimit ? kNoLimit : monotonic_ns() + nanoseconds;
      while (!failed_) {
        const std::size_t next = next_++;
        if (next >= chunks_.size()) return;
        const Chunk& chunk = chunks_[next];
        if (const auto worked = work(workers_[number], chunk, stop); !worked) return fail_with(worked.error());
        done_ += chunk.to - chunk.from;
        if (number == 0 && progress) progress(done_, order_.places());
        if (ends != kNoLimit && monotonic_ns() >= ends) return;
      }
    });
    if (error_) return std::unexpected(*error_);
    return {};
  }

  [[nodiscard]] bool complete() const { return done_ == order_.places(); }
  [[nodiscard]] std::uint64_t places() const { return order_.places(); }
  [[nodiscard]] std::uint64_t places_done() const { return done_; }
  [[nodiscard]] unsigned bits() const { return a_.dtype.bits + b_.dtype.bits; }

  // What was found so far; between two calls of advance().
  [[nodiscard]] Comparison found() const {
    PairScan all = workers_.empty() ? make_scan() : workers_.front().scan;
    for (std::size_t i = 1; i < workers_.size(); ++i) all.merge(workers_[i].scan);
    return all.finish(order_.places() * order_.repeats(), order_.repeats(), a_.layout.shape);
  }

  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

 private:
  struct Chunk {
    std::size_t box = 0;
    std::uint64_t from = 0, to = 0;
  };
  // What a worker has of its own.
  struct Worker {
    PairScan scan;
    std::vector<ElementReader> readers_a, readers_b;  // of each box
    std::vector<std::byte> meant_a, meant_b;          // room for values whose sign bits were applied
  };

  [[nodiscard]] PairScan make_scan() const { return PairScan(a_.dtype, b_.dtype, tolerance_, order_.repeats() == 1); }
  [[nodiscard]] Worker make_worker() const {
    Worker worker{make_scan(), {}, {}, {}, {}};
    for (const PairBox& box : order_.boxes()) {
      const auto at_once = [&](const ComparedTensor& one) {
        const std::uint64_t read = kReadAtOnce * 8 / std::max(8U, unsigned{one.dtype.bits});
        return std::max<std::uint64_t>(one.source.reader == nullptr ? PairScan::kMaxValues : read, box.tile);
      };
      worker.readers_a.emplace_back(moved(a_.address, order_.base_a()), box.bits_a, a_.dtype.bits, a_.source, at_once(a_));
      worker.readers_b.emplace_back(moved(b_.address, order_.base_b()), box.bits_b, b_.dtype.bits, b_.source, at_once(b_));
    }
    return worker;
  }

  [[nodiscard]] Result<void> work(Worker& worker, const Chunk& chunk, const std::stop_token& stop) const {
    const PairBox& box = order_.boxes()[chunk.box];
    AffineCursor indices(box.indices, chunk.from, chunk.to);
    ElementReader::Window a, b;  // what is left of what was read
    AffineRun run;
    for (std::uint64_t at = chunk.from; at < chunk.to;) {
      if (stop.stop_requested()) return fail(ErrorKind::cancelled, "the comparison was stopped");
      if (a.count == 0) {
        if (const auto read = refill(worker.readers_a[chunk.box], at, chunk.to, a); !read) return named("A", read.error());
        apply_signs(a_, worker.meant_a, a);
      }
      if (b.count == 0) {
        if (const auto read = refill(worker.readers_b[chunk.box], at, chunk.to, b); !read) return named("B", read.error());
        apply_signs(b_, worker.meant_b, b);
      }
      const std::uint64_t together = std::min<std::uint64_t>({a.count, b.count, PairScan::kMaxValues});
      for (std::uint64_t left = together; left > 0;) {
        static_cast<void>(indices.next(run, left));
        worker.scan.add(a.data, b.data, static_cast<std::uint32_t>(run.count), static_cast<std::uint64_t>(run.first), run.step);
        take(a, run.count, worker.readers_a[chunk.box].value_bytes());
        take(b, run.count, worker.readers_b[chunk.box].value_bytes());
        left -= run.count;
      }
      at += together;
    }
    return {};
  }

  void fail_with(Error error) {
    const std::lock_guard lock(failing_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }

  static Result<void> refill(ElementReader& reader, std::uint64_t from, std::uint64_t to, ElementReader::Window& window) {
    const auto read = reader.read(from, to, PairScan::kMaxValues);
    if (!read) return std::unexpected(read.error());
    window = *read;
    return {};
  }
  // In a copy: the window may lie in the tensor itself.
  static void apply_signs(const ComparedTensor& tensor, std::vector<std::byte>& meant, ElementReader::Window& window) {
    if (!tensor.signs.any()) return;
    meant.assign(window.data, window.data + window.count * ((tensor.dtype.bits + 7U) / 8));
    apply_sign_bits(tensor.dtype, tensor.signs, meant);
    window.data = meant.data();
  }
  static void take(ElementReader::Window& window, std::uint64_t count, std::size_t bytes) {
    window.data += count * bytes;
    window.count -= count;
  }
  static std::unexpected<Error> named(const char* which, const Error& error) {
    return fail(error.kind, fmt::format("of {} {}", which, error.message));
  }

  ComparedTensor a_, b_;
  Tolerance tolerance_;
  PairOrder order_;
  std::vector<Chunk> chunks_;
  std::deque<Worker> workers_;
  std::atomic<std::size_t> next_ = 0;  // of chunks_
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex failing_;  // error_
  std::optional<Error> error_;
};

Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b, const CompareOptions& options) {
  if (const std::string why = why_not_comparable(a, b); !why.empty()) return fail(ErrorKind::unsupported, why);
  CompareTask::Pass pass(a, b, options.tolerance);
  if (const auto done = pass.advance(options.threads, CompareTask::Pass::kNoLimit, options.stop, options.progress); !done)
    return std::unexpected(done.error());
  return pass.found();
}

CompareTask::CompareTask(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance, unsigned threads)
    : pass_(std::make_unique<Pass>(a, b, tolerance)), threads_(threads) {}

CompareTask::~CompareTask() = default;

Result<Task::State> CompareTask::step() {
  if (const auto done = pass_->advance(threads_, kStepNs); !done) return std::unexpected(done.error());
  return pass_->complete() ? State::done : State::more;
}

TaskProgress CompareTask::progress() const {
  const auto bytes = [&](std::uint64_t values) {
    return static_cast<std::uint64_t>(static_cast<double>(values) * pass_->bits() / 8);
  };
  return {bytes(pass_->places_done()), bytes(pass_->places())};
}

Comparison CompareTask::found() const { return pass_->found(); }

}  // namespace dlscope::core
