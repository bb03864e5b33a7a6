// Pictures of tensors against the rate at which this machine reads memory, measured between the rounds of the same run: 4096 x 4096
// float32 as a whole, dense, transposed and every second row; then a 100 000 x 100 000 view of one row of memory, and one of a sparse
// mapping, moved and zoomed. On one thread and on as many as are of use, in turns. Nothing is timed whose texels are not first those of the slow reference. Best and median.
//   heatmap_bench [ROUNDS=9]
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/reduce/reduce_task.h"
#include "tests/core/reduce/slow_texels.h"
#include "tests/bench/timing.h"
#include "tests/support/put_part.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::cpu_seconds;
using dlscope::bench::median;
using dlscope::bench::seconds;

volatile std::uint64_t sink;

// Reading alone, as the reader of a task does it: into a buffer that stays in the second-level cache.
double read_seconds(const MemoryReader& reader, const std::byte* from, std::size_t bytes) {
  static std::vector<std::byte> buffer(std::size_t{128} << 10);
  return seconds([&] {
    for (std::size_t at = 0; at < bytes; at += buffer.size())
      sink = reader.read(reinterpret_cast<Address>(from + at), std::span(buffer).first(std::min(buffer.size(), bytes - at)));
  });
}

const std::shared_ptr<const MemoryReader>& own_memory() {
  static const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  return reader;
}

const CellAxes kAxes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
constexpr std::uint64_t kAll = ~std::uint64_t{0};

Texels picture(const TensorValues& values, const CellWindow& window, std::uint64_t most_exact, unsigned threads) {
  auto task = ReduceTask::make(values, kAxes, window, most_exact, nullptr, own_memory(), threads);
  if (!task) std::exit(1);
  Texels out;
  out.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())});
  for (bool more = true; more;) {
    more = (*task)->step().value() == Task::State::more;
    while (const auto part = (*task)->take(65'536)) dlscope::tests::put_part(*part, out);
  }
  return out;
}

constexpr const char* kThreads[] = {"as of use", "one thread"};

void check_or_leave(const char* name, const TensorValues& values, const CellWindow& window) {
  const Texels got = picture(values, window, kAll, 0);
  const std::string wrong = test::difference(
      got, test::slow_texels(values.dtype, values.layout, reinterpret_cast<const void*>(values.address), kAxes, window), false);
  if (wrong.empty()) return;
  fmt::print("{}: {}\n", name, wrong);
  std::exit(1);
}

void bench_whole(const char* name, const TensorValues& values, const std::vector<float>& memory, int rounds,
                 std::uint64_t most_exact = kAll) {
  const std::int64_t rows = values.layout.shape[0], columns = values.layout.shape[1];
  check_or_leave(name, values, {rows / 3, columns / 5, std::min<std::int64_t>(rows / 2, 300), 400, 7, 6});
  const CellWindow whole{0, 0, rows, columns, 10, 9};
  const auto* const bytes = reinterpret_cast<const std::byte*>(memory.data());
  std::vector<double> times[2], ratios[2], cpu[2];
  for (int round = 0; round < rounds; ++round) {
    for (const unsigned threads : {0U, 1U}) {
      const double before = read_seconds(*own_memory(), bytes, memory.size() * 4);
      double time = 0;
      cpu[threads].push_back(cpu_seconds(
          [&] { time = seconds([&] { static_cast<void>(picture(values, whole, most_exact, threads)); }); }));
      const double after = read_seconds(*own_memory(), bytes, memory.size() * 4);
      times[threads].push_back(time);
      ratios[threads].push_back((before + after) / 2 / time);
    }
  }
  for (const unsigned threads : {1U, 0U}) {
    fmt::print(
        "{:<28}{:<12} {:6.1f} ms (median {:6.1f}), CPU time {:6.1f} ms ({:6.1f})   of the rate of reading all of its memory on one "
        "thread: best {:3.0f} %, median {:3.0f} %\n",
        threads == 1 ? name : "", kThreads[threads], *std::ranges::min_element(times[threads]) * 1e3, median(times[threads]) * 1e3,
        *std::ranges::min_element(cpu[threads]) * 1e3, median(cpu[threads]) * 1e3, *std::ranges::max_element(ratios[threads]) * 100, median(ratios[threads]) * 100);
  }
}

// A window that moves by a fifth of itself, then zooms in: what a task takes until its first whole picture.
void bench_moves(const char* name, const TensorValues& values, std::uint64_t most_exact) {
  std::vector<double> times[2], cpu[2];
  for (int i = 0; i < 60; ++i) {
    const double zoom = std::pow(0.9, i);
    const auto cells = static_cast<std::int64_t>(90'000 * zoom);
    const std::int64_t from = std::min<std::int64_t>(1000 + i * cells / 5, 100'000 - cells), step = (cells + 439) / 440;
    const CellWindow window{from, from, cells, cells, step, step};
    for (const unsigned threads : {0U, 1U})
      cpu[threads].push_back(cpu_seconds([&] {
        times[threads].push_back(seconds([&] { static_cast<void>(picture(values, window, most_exact, threads)); }));
      }));
  }
  for (const unsigned threads : {1U, 0U}) {
    std::ranges::sort(times[threads]);
    fmt::print("{:<28}{:<12} 440 x 440 texels, moved and zoomed: p50 {:5.1f} ms, p99 {:5.1f} ms; CPU time p50 {:5.1f} ms\n", threads == 1 ? name : "",
               kThreads[threads], times[threads][times[threads].size() / 2] * 1e3, times[threads].back() * 1e3, median(cpu[threads]) * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  constexpr std::int64_t kSide = 4096, kHuge = 100'000;
  std::vector<float> memory(kSide * kSide);
  std::mt19937 chance(1);
  std::normal_distribution<float> normal;
  for (float& x : memory) x = normal(chance);
  const DType f32 = *dtype_from_name("float32");
  const auto address = reinterpret_cast<Address>(memory.data());
  const Layout dense = Layout::c_order({kSide, kSide}, 32), turned = Layout::from_element_strides({kSide, kSide}, {1, kSide}, 32);
  const Layout halved = Layout::from_element_strides({kSide / 2, kSide}, {2 * kSide, 1}, 32);
  bench_whole("4096 x 4096", {f32, dense, address, {}}, memory, rounds);
  bench_whole("4096 x 4096 transposed", {f32, turned, address, {}}, memory, rounds);
  bench_whole("every second row", {f32, halved, address, {}}, memory, rounds);

  bench_whole("4096 x 4096, a sample", {f32, dense, address, {}}, memory, rounds, 0);
  const Layout broadcast = Layout::from_element_strides({kHuge, kHuge}, {0, 1}, 32);
  check_or_leave("broadcast", {f32, broadcast, address, {}}, {50'000, 60'000, 40, 1500, 3, 7});
  bench_moves("100 000 x 100 000 broadcast", {f32, broadcast, address, {}}, 1u << 26);
  const std::size_t bytes = static_cast<std::size_t>(kHuge * kHuge) * 4;
  void* const sparse = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sparse == MAP_FAILED) return 0;
  const Layout huge = Layout::c_order({kHuge, kHuge}, 32);
  bench_moves("100 000 x 100 000 sparse", {f32, huge, reinterpret_cast<Address>(sparse), {}}, 0);
  ::munmap(sparse, bytes);
  return 0;
}
