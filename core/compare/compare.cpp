#include "core/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/base/workers.h"
#include "core/compare/pair_order.h"
#include "core/compare/pair_scan.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kChunkValues = std::uint64_t{1} << 18;
constexpr std::uint64_t kReadAtOnce = std::uint64_t{1} << 15;  // values, through a MemoryReader
constexpr std::uint64_t kChunksPerThread = 4;                  // fewer are not worth a thread
constexpr unsigned kMaxThreads = 8;

Address moved(Address address, std::int64_t by) { return address + static_cast<std::uint64_t>(by); }

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

std::string why_not_comparable(const ComparedTensor& a, const ComparedTensor& b) {
  if (!std::ranges::equal(a.layout.shape, b.layout.shape))
    return fmt::format("the shapes differ: {} and {}", shape_text(a.layout.shape), shape_text(b.layout.shape));
  for (const ComparedTensor* one : {&a, &b}) {
    if (one->layout.item_bits != one->dtype.item_bits())
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

  Pass(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance)
      : a_(a), b_(b), tolerance_(tolerance), order_(a.layout, b.layout, a.dtype.lanes, a.dtype.bits, b.dtype.bits) {
    for (std::size_t i = 0; i < order_.boxes().size(); ++i) {
      const std::uint64_t count = order_.boxes()[i].count;
      for (std::uint64_t from = 0; from < count; from += kChunkValues)
        chunks_.push_back({i, from, std::min(count, from + kChunkValues)});
    }
  }

  [[nodiscard]] Worker make_worker() const {
    Worker worker{PairScan(a_.dtype, b_.dtype, tolerance_, order_.repeats() == 1), {}, {}, {}, {}};
    for (const PairBox& box : order_.boxes()) {
      const auto at_once = [&](const ComparedTensor& one) {
        return std::max<std::uint64_t>(one.source.reader == nullptr ? PairScan::kMaxValues : kReadAtOnce, box.tile);
      };
      worker.readers_a.emplace_back(moved(a_.address, order_.base_a()), box.bits_a, a_.dtype.bits, a_.source, at_once(a_));
      worker.readers_b.emplace_back(moved(b_.address, order_.base_b()), box.bits_b, b_.dtype.bits, b_.source, at_once(b_));
    }
    return worker;
  }

  [[nodiscard]] const std::vector<Chunk>& chunks() const { return chunks_; }
  [[nodiscard]] const PairOrder& order() const { return order_; }
  [[nodiscard]] unsigned bits() const { return a_.dtype.bits + b_.dtype.bits; }

  [[nodiscard]] Result<void> work(Worker& worker, const Chunk& chunk, const std::stop_token& stop = {}) const {
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

  [[nodiscard]] Comparison finish(const PairScan& scan) const {
    return scan.finish(order_.places() * order_.repeats(), order_.repeats(), a_.layout.shape);
  }

 private:
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

 public:
  // As a task: the next chunk.
  std::optional<Worker> own;
  std::size_t next = 0;
  std::uint64_t done = 0;
};

Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b, const CompareOptions& options) {
  if (const std::string why = why_not_comparable(a, b); !why.empty()) return fail(ErrorKind::unsupported, why);
  const CompareTask::Pass pass(a, b, options.tolerance);
  std::uint64_t threads = options.threads;
  if (threads == 0) threads = std::min(std::max(std::thread::hardware_concurrency(), 1u), kMaxThreads);
  const std::uint64_t useful = options.threads != 0 ? pass.chunks().size() : pass.chunks().size() / kChunksPerThread;
  threads = std::clamp<std::uint64_t>(useful, 1, threads);
  std::vector<CompareTask::Pass::Worker> workers;
  for (std::uint64_t i = 0; i < threads; ++i) workers.push_back(pass.make_worker());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<bool> ended = false;
  std::mutex failing;
  std::optional<Error> error;
  run_workers(threads, [&](std::size_t number) {
    const DefaultFloatEnvironment environment;
    while (!ended) {
      const std::size_t chunk = next++;
      if (chunk >= pass.chunks().size()) return;
      const auto& range = pass.chunks()[chunk];
      if (const auto worked = pass.work(workers[number], range, options.stop); !worked) {
        const std::lock_guard lock(failing);
        if (!error) error = worked.error();
        ended = true;
        return;
      }
      const std::uint64_t all_done = done += range.to - range.from;
      if (number == 0 && options.progress) options.progress(all_done, pass.order().places());
    }
  });
  if (error) return std::unexpected(*error);
  for (std::size_t i = 1; i < workers.size(); ++i) workers[0].scan.merge(workers[i].scan);
  return pass.finish(workers[0].scan);
}

CompareTask::CompareTask(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance)
    : pass_(std::make_unique<Pass>(a, b, tolerance)) {
  pass_->own.emplace(pass_->make_worker());
}

CompareTask::~CompareTask() = default;

Result<Task::State> CompareTask::step() {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = monotonic_ns() + kStepNs;
  while (pass_->next < pass_->chunks().size() && monotonic_ns() < ends) {
    const Pass::Chunk& chunk = pass_->chunks()[pass_->next];
    if (const auto worked = pass_->work(*pass_->own, chunk); !worked) return std::unexpected(worked.error());
    pass_->done += chunk.to - chunk.from;
    ++pass_->next;
  }
  return pass_->next == pass_->chunks().size() ? State::done : State::more;
}

TaskProgress CompareTask::progress() const {
  const auto bytes = [&](std::uint64_t values) {
    return static_cast<std::uint64_t>(static_cast<double>(values) * pass_->bits() / 8);
  };
  return {bytes(pass_->done), bytes(pass_->order().places())};
}

Comparison CompareTask::found() const { return pass_->finish(pass_->own->scan); }

}  // namespace dlscope::core
