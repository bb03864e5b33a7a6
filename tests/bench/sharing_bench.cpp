// find_sharing() at 1e5 tensors: the goals of performance.md section 4. Compare with BM_calibrate_* of the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "core/sharing/sharing.h"
#include "tests/core/sharing/brute_force.h"

namespace {

using namespace dlscope::core;
using namespace dlscope::core::test;

constexpr Address kBase = Address{1} << 40;
constexpr std::size_t kTensors = 100'000;

// Items as a snapshot makes them: ids in an order of their own, all shapes and strides in one pool.
struct Scene {
  std::vector<OwnedView> views;
  std::vector<std::int64_t> dims;
  std::vector<SharingItem> items;

  void add(Layout layout, Address address) { views.push_back(make_view(std::move(layout), address)); }
  void finish(Random& random) {
    std::shuffle(views.begin(), views.end(), random);
    for (const OwnedView& v : views) {
      dims.insert(dims.end(), v.layout.shape.begin(), v.layout.shape.end());
      dims.insert(dims.end(), v.layout.stride_bits.begin(), v.layout.stride_bits.end());
    }
    const std::int64_t* next = dims.data();
    for (std::uint32_t i = 0; i < views.size(); ++i) {
      const std::size_t rank = views[i].layout.shape.size();
      const LayoutView layout{{next, rank}, {next + rank, rank}, views[i].layout.item_bits};
      items.push_back({i, kHostSpace, {views[i].address, layout, views[i].extent}, kUnknownBytes});
      next += 2 * rank;
    }
  }
};

// Calibration: std::sort of as many addresses.
void BM_calibrate_sort_1e5(benchmark::State& state) {
  Random random(1);
  std::vector<Address> addresses(kTensors);
  for (Address& a : addresses) a = random();
  for (auto _ : state) {
    std::vector<Address> copy = addresses;
    std::ranges::sort(copy);
    benchmark::DoNotOptimize(copy.data());
  }
}
BENCHMARK(BM_calibrate_sort_1e5)->Unit(benchmark::kMillisecond);

// On one thread, so that its CPU time is that of the work.
void run(benchmark::State& state, const Scene& scene, std::uint64_t max_pairs = 1'000'000, std::size_t threads = 1) {
  SharingLimits limits;
  limits.max_pairs = max_pairs;
  limits.threads = threads;
  std::size_t pairs = 0, groups = 0;
  bool complete = true;
  for (auto _ : state) {
    const Sharing sharing = find_sharing(scene.items, limits);
    pairs = sharing.pairs.size();
    groups = sharing.groups.size();
    complete = sharing.open_groups == UnknownWhy::none;
  }
  state.SetLabel(std::to_string(pairs) + " pairs, " + std::to_string(groups) + " groups" + (complete ? "" : ", incomplete"));
}

void disjoint(benchmark::State& state, std::size_t tensors, bool counted) {
  Random random(2);
  Scene scene;
  for (std::size_t i = 0; i < tensors; ++i) scene.add(Layout::c_order({16, 16}, 32), kBase + i * 2048);
  scene.finish(random);
  if (counted) {
    for (SharingItem& item : scene.items) item.distinct_bytes = 1024;
  }
  run(state, scene);
}
void BM_1e5_disjoint(benchmark::State& state) { disjoint(state, kTensors, false); }
BENCHMARK(BM_1e5_disjoint)->Unit(benchmark::kMillisecond);
// As a snapshot asks: the bytes of each tensor are counted already.
void BM_1e5_disjoint_counted(benchmark::State& state) { disjoint(state, kTensors, true); }
BENCHMARK(BM_1e5_disjoint_counted)->Unit(benchmark::kMillisecond);
void BM_1e6_disjoint(benchmark::State& state) { disjoint(state, 10 * kTensors, false); }
BENCHMARK(BM_1e6_disjoint)->Unit(benchmark::kMillisecond);

// Slices of arrays, eight each: rows, columns, tiles, every n-th; 3.5 pairs a tensor whose extents meet.
void slices(benchmark::State& state, std::size_t tensors, std::size_t threads = 1) {
  Random random(3);
  Scene scene;
  for (std::size_t i = 0; i < tensors; ++i) {
    const Address array = kBase + (i / 8) * (std::size_t{1} << 20);
    const std::int64_t pitch = 400;
    switch (i % 8) {
      case 0:
        scene.add(Layout::from_byte_strides({100, 100}, {pitch, 4}, 32), array);
        break;
      case 1:
        scene.add(Layout::from_byte_strides({100}, {pitch}, 32), array + 40);
        break;
      case 2:
        scene.add(Layout::from_byte_strides({50, 50}, {2 * pitch, 8}, 32), array);
        break;
      case 3:
        scene.add(Layout::from_byte_strides({50, 30}, {pitch, 4}, 32), array + 10 * 400 + 80);
        break;
      case 4:
        scene.add(Layout::from_byte_strides({100, 100}, {4, pitch}, 32), array);
        break;
      case 5:
        scene.add(Layout::from_byte_strides({30, 40}, {3 * pitch, -8}, 32), array + 396);
        break;
      case 6:
        scene.add(Layout::from_byte_strides({10, 100}, {pitch, 4}, 32), array + 20 * 400);
        break;
      default:
        scene.add(Layout::from_byte_strides({98, 98, 3, 3}, {pitch, 4, pitch, 4}, 32), array);
        break;
    }
  }
  scene.finish(random);
  run(state, scene, 4 * tensors, threads);
}
void BM_1e5_slices(benchmark::State& state) { slices(state, kTensors); }
BENCHMARK(BM_1e5_slices)->Unit(benchmark::kMillisecond);
void BM_1e6_slices(benchmark::State& state) { slices(state, 10 * kTensors); }
BENCHMARK(BM_1e6_slices)->Unit(benchmark::kMillisecond);

// On several threads: wall time, and the CPU time of all of them.
void BM_1e5_slices_threads(benchmark::State& state) { slices(state, kTensors, static_cast<std::size_t>(state.range(0))); }
BENCHMARK(BM_1e5_slices_threads)->Arg(1)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
void BM_1e6_slices_threads(benchmark::State& state) { slices(state, 10 * kTensors, static_cast<std::size_t>(state.range(0))); }
BENCHMARK(BM_1e6_slices_threads)->Arg(1)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

// Forty slices of each array: clusters too large to compare all with all in one go, and 39 pairs a tensor to move.
void of_forty(benchmark::State& state, std::size_t threads) {
  Random random(7);
  Scene scene;
  for (std::size_t i = 0; i < kTensors; ++i) {
    const auto part = static_cast<std::int64_t>(i % 40);
    const Address array = kBase + (i / 40) * (std::size_t{1} << 20);
    scene.add(part == 0 ? Layout::c_order({100'000}, 32) : Layout::from_byte_strides({1000}, {4 * part}, 32), array + part * 4);
  }
  scene.finish(random);
  run(state, scene, 4'000'000, threads);
}
// On one thread and on two: the CPU time of the calling thread alone, which shows how much of the work the other one takes over.
void BM_1e5_of_forty(benchmark::State& state) { of_forty(state, static_cast<std::size_t>(state.range(0))); }
BENCHMARK(BM_1e5_of_forty)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Forty views of one place with strides that have no common divisor: 780 pairs, none of which a formula decides.
void BM_forty_hard_views(benchmark::State& state) {
  Random random(8);
  Scene scene;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto stride = [&] { return pick(random, 3000, 9000); };
    scene.add(Layout::from_byte_strides({100, 100, 100}, {stride(), stride(), stride()}, 8), kBase + i);
  }
  scene.finish(random);
  run(state, scene, 1'000'000, static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_forty_hard_views)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// One buffer, 1e5 different views of it: 5e9 pairs, of which the first million is listed.
void views_of_one_buffer(benchmark::State& state, std::size_t threads) {
  Random random(4);
  Scene scene;
  scene.add(Layout::c_order({2'000'000}, 32), kBase);
  while (scene.views.size() < kTensors) {
    const std::int64_t step = pick(random, 1, 9);
    scene.add(Layout::from_byte_strides({pick(random, 1, 100'000)}, {step * 4}, 32),
              kBase + static_cast<Address>(pick(random, 0, 1'000'000)) * 4);
  }
  scene.finish(random);
  run(state, scene, 1'000'000, threads);
}
void BM_1e5_views_of_one_buffer(benchmark::State& state) {
  views_of_one_buffer(state, static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_1e5_views_of_one_buffer)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void BM_1e5_names_of_one_array(benchmark::State& state) {
  Random random(5);
  Scene scene;
  for (std::size_t i = 0; i < kTensors; ++i) scene.add(Layout::from_byte_strides({1000, 3}, {400, 4}, 32), kBase);
  scene.finish(random);
  run(state, scene);
}
BENCHMARK(BM_1e5_names_of_one_array)->Unit(benchmark::kMillisecond);

// The columns of a matrix whose own array is not in sight: everything interleaves, nothing is shared.
void BM_1e5_columns(benchmark::State& state) {
  Random random(6);
  Scene scene;
  for (std::size_t i = 0; i < kTensors; ++i) {
    scene.add(Layout::from_byte_strides({100}, {static_cast<std::int64_t>(kTensors) * 4}, 32), kBase + i * 4);
  }
  scene.finish(random);
  run(state, scene);
}
BENCHMARK(BM_1e5_columns)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
