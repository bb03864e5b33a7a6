// Pictures of the difference of two tensors: 4096 x 4096 float32, every pair, against the rate at which memcmp walks the same
// memory, measured between the rounds of the same run; then the search for the next difference, on one thread and on as many as are
// of use, in turns; then views of two sparse mappings of 100 000 x 100 000, moved and zoomed, a sample each.
// Nothing is timed whose one planted difference is not found, and nothing else.
//   difference_bench [ROUNDS=9]
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/compare/difference_task.h"
#include "core/compare/find_mismatch.h"
#include "tests/bench/timing.h"
#include "tests/support/local_tensor.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::at_part;
using dlscope::bench::cpu_seconds;
using dlscope::bench::seconds;

constexpr std::int64_t kSide = 4096, kLarge = 100'000;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
const CellAxes kAxes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};

volatile int sink;

void leave(const std::string& why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

const std::shared_ptr<const MemoryReader>& own_memory() {
  static const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  return reader;
}

ComparedTensor tensor(const void* data, const Layout& layout) {
  return {dtype_from_name("float32").value(), layout, reinterpret_cast<Address>(data), ElementSource::checked(*own_memory())};
}

// Texels in which some pair differs.
std::size_t draw(const ComparedTensor& a, const ComparedTensor& b, const CellWindow& window, std::uint64_t most_exact,
                 std::size_t* texels = nullptr) {
  auto task = make_difference_task(a, b, kAxes, window, DifferenceKind::difference, most_exact, nullptr);
  if (!task) leave(task.error().message);
  std::size_t unequal = 0, all = 0;
  for (bool more = true; more;) {
    const auto state = (*task)->step();
    if (!state) leave(state.error().message);
    more = *state == Task::State::more;
    while (const auto part = (*task)->take(100'000)) {
      all += part->rect.size();
      unequal += static_cast<std::size_t>(
          std::ranges::count_if(part->flags, [](std::uint8_t flags) { return (flags & kTexelUnequal) != 0; }));
    }
  }
  if (texels != nullptr) *texels = all;
  return unequal;
}

void bench_dense(int rounds) {
  std::vector<float> a(kSide * kSide, 1.5F), b = a, other(a.size(), 2.5F);
  const Layout dense = Layout::c_order({kSide, kSide}, 32), turned = Layout::from_element_strides({kSide, kSide}, {1, kSide}, 32);
  const std::vector<float> copy = a;  // equal, in other pages: memcmp walks both to the end
  const CellWindow all{0, 0, kSide, kSide, 16, 16};
  const std::size_t bytes = a.size() * sizeof(float);
  struct Case {
    const char* name;
    const std::vector<float>& b;
    const Layout& layout;
  };
  for (const Case& one :
       {Case{"equal but for one", b, dense}, Case{"every pair differs", other, dense}, Case{"B transposed", b, turned}}) {
    const bool is_equal = &one.b == &b;
    if (is_equal) b[1'234'567] = 1.5000001F;
    if (const std::size_t found = draw(tensor(a.data(), dense), tensor(one.b.data(), one.layout), all, kAll);
        found != (is_equal ? 1U : 256U * 256U))
      leave(fmt::format("{}: {} texels differ", one.name, found));
    std::vector<double> ratios, rates;
    for (int round = 0; round < rounds; ++round) {
      const double ours = seconds([&] { draw(tensor(a.data(), dense), tensor(one.b.data(), one.layout), all, kAll); });
      const double walk = seconds([&] { sink = std::memcmp(a.data(), copy.data(), bytes); });
      ratios.push_back(walk / ours);
      rates.push_back(static_cast<double>(bytes) * 2e-9 / ours);
    }
    fmt::print("4096 x 4096 float32, {:20} {:5.1f} GB/s of both; of memcmp's rate: best {:3.0f} %, median {:3.0f} %\n", one.name,
               at_part(rates, 1), at_part(ratios, 1) * 100, at_part(ratios, 0.5) * 100);
  }
}

// The last value is the one that differs: both are walked to the end.
void bench_search(int rounds) {
  constexpr std::int64_t kValues = std::int64_t{1} << 26;
  std::vector<float> a(kValues, 1.5F), b = a;
  const std::vector<float> copy = a;
  const auto of = [](const std::vector<float>& values) -> SnapshotTensor {
    const DType dtype = *dtype_from_name("float32");
    return {dlscope::tests::local_tensor(values.data(), dtype, Layout::c_order({kValues}, 32)), 0, own_memory()};
  };
  b.back() = 1.5000001F;
  const auto search = [&](unsigned threads) {
    auto task = FindMismatchTask::make(of(a), of(b), std::nullopt, true, threads);
    if (!task) leave(task.error().message);
    while ((*task)->step().value() == Task::State::more) {
    }
    if ((*task)->found() != static_cast<std::uint64_t>(kValues - 1)) leave("another difference was found");
  };
  std::vector<double> times[2], cpu[2], ratios[2];
  for (int round = 0; round < rounds; ++round) {
    for (const unsigned threads : {1U, 0U}) {
      double time = 0;
      cpu[threads].push_back(cpu_seconds([&] { time = seconds([&] { search(threads); }); }));
      const double walk = seconds([&] { sink = std::memcmp(a.data(), copy.data(), a.size() * sizeof(float)); });
      times[threads].push_back(time);
      ratios[threads].push_back(walk / time);
    }
  }
  for (const unsigned threads : {1U, 0U})
    fmt::print(
        "next difference, 2^26 float32 a side, {:11} {:6.1f} ms (median {:6.1f}), CPU time {:6.1f} ms; of memcmp's rate: "
        "best {:3.0f} %, median {:3.0f} %\n",
        threads == 1 ? "one thread" : "as of use", at_part(times[threads], 0) * 1e3, at_part(times[threads], 0.5) * 1e3,
        at_part(cpu[threads], 0) * 1e3, at_part(ratios[threads], 1) * 100, at_part(ratios[threads], 0.5) * 100);
}

void* sparse() {
  void* const data = ::mmap(nullptr, static_cast<std::size_t>(kLarge * kLarge) * sizeof(float), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) leave("no sparse mapping");
  return data;
}

// Pictures of 350 x 350 texels, which is about what a pane of 1080p asks for at once.
void bench_sparse() {
  void* const a = sparse();
  void* const b = sparse();
  static_cast<float*>(b)[50'000 * kLarge + 50'000] = 1;
  const Layout layout = Layout::c_order({kLarge, kLarge}, 32);
  const ComparedTensor of_a = tensor(a, layout), of_b = tensor(b, layout);
  if (draw(of_a, of_b, {49'000, 49'000, 2000, 2000, 16, 16}, kAll) != 1) leave("sparse: the planted difference was not found");
  for (const std::int64_t step : {1, 8, 64, 250}) {
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t rows = std::min<std::int64_t>(350 * step, kLarge), from = (kLarge - rows) * i / 60;
      const CellWindow window{from, from, rows, rows, step, step};
      std::size_t texels = 0;
      times.push_back(seconds([&] { draw(of_a, of_b, window, 0, &texels); }));
      if (texels < static_cast<std::size_t>(window.texel_rows() * window.texel_columns())) leave("sparse: texels are missing");
    }
    fmt::print("two sparse 100 000 x 100 000 float32, {:3} cells a texel each way: p50 {:5.1f} ms, p99 {:5.1f} ms\n", step,
               at_part(times, 0.5) * 1e3, at_part(times, 0.99) * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 9;
  bench_dense(rounds);
  bench_search(rounds);
  bench_sparse();
}
