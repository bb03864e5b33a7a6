// Overlap of two views: the goals of performance.md section 4. Compare with BM_calibrate_* of the same run, never with
// absolute numbers of another machine.
#include <benchmark/benchmark.h>

#include <cstring>
#include <utility>
#include <vector>

#include "core/sharing/hard_overlap.h"
#include "core/sharing/overlap.h"
#include "core/sharing/prepared_set.h"
#include "tests/bench/timing.h"
#include "tests/core/sharing/brute_force.h"

namespace {

using namespace dlscope::core;
using namespace dlscope::core::test;

// Calibration: a dependent 64-bit division, what closed forms are made of.
void BM_calibrate_division(benchmark::State& state) {
  std::uint64_t x = ~std::uint64_t{0};
  std::uint64_t divisor = 12345;
  benchmark::DoNotOptimize(divisor);
  for (auto _ : state) {
    x = x / divisor + 0xffffffff00000000u;
    benchmark::DoNotOptimize(x);
  }
}
BENCHMARK(BM_calibrate_division);

// Calibration: copying 128 MiB, what large bit sets are made of.
void BM_calibrate_memcpy_128_mib(benchmark::State& state) {
  std::vector<char> from(std::size_t{128} << 20, 1), to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
  }
}
BENCHMARK(BM_calibrate_memcpy_128_mib)->Unit(benchmark::kMillisecond);

void run(benchmark::State& state, const OwnedView& a, const OwnedView& b, OverlapMethod method) {
  const MemoryView view_a = a.view();
  const MemoryView view_b = b.view();
  Overlap result;
  for (auto _ : state) {
    result = overlap(view_a, view_b);
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(std::string(relation_name(result.relation)) + ", " + overlap_method_name(result.method));
  const bool bits = method == OverlapMethod::sweep && result.method == OverlapMethod::bitset;  // whichever costs less
  if (result.method != method && !bits) state.SkipWithError("another method than meant");
}

constexpr Address kBase = Address{1} << 40;

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address,
                std::uint32_t item_bits) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, item_bits), address);
}

void BM_disjoint_extents(benchmark::State& state) {
  run(state, bytes({1000}, {4}, kBase, 32), bytes({1000}, {4}, kBase + 4000, 32), OverlapMethod::extent);
}
BENCHMARK(BM_disjoint_extents);

void BM_two_dense(benchmark::State& state) {
  run(state, bytes({1000, 100}, {400, 4}, kBase, 32), bytes({1000, 100}, {400, 4}, kBase + 400, 32), OverlapMethod::extent);
}
BENCHMARK(BM_two_dense);

void BM_array_and_column(benchmark::State& state) {
  run(state, bytes({1000, 100}, {400, 4}, kBase, 32), bytes({1000}, {400}, kBase + 40, 32), OverlapMethod::layout);
}
BENCHMARK(BM_array_and_column);

void BM_two_tiles(benchmark::State& state) {
  run(state, bytes({500, 50}, {400, 4}, kBase, 32), bytes({500, 50}, {400, 4}, kBase + 100 * 400 + 80, 32),
      OverlapMethod::layout);
}
BENCHMARK(BM_two_tiles);

void BM_two_columns(benchmark::State& state) {
  run(state, bytes({1000}, {400}, kBase, 32), bytes({1000}, {400}, kBase + 4, 32), OverlapMethod::layout);
}
BENCHMARK(BM_two_columns);

void BM_every_second_and_third(benchmark::State& state) {
  run(state, bytes({5000}, {8}, kBase, 32), bytes({3000}, {12}, kBase + 4, 32), OverlapMethod::layout);
}
BENCHMARK(BM_every_second_and_third);

void BM_four_axes(benchmark::State& state) {
  run(state, bytes({16, 32, 14, 14}, {100352, 3136, 112, 8}, kBase, 32),
      bytes({8, 3, 20, 28}, {200704, 6272, 112, 4}, kBase + 3136, 32), OverlapMethod::layout);
}
BENCHMARK(BM_four_axes);

// As find_sharing() compares them: normalised once, without the numbers of elements.
void run_prepared(benchmark::State& state, const OwnedView& a, const OwnedView& b) {
  const MemoryView view_a = a.view(), view_b = b.view();
  const PreparedView prepared_a(view_a), prepared_b(view_b);
  const OverlapBudget budget;
  const Overlap expected = overlap(view_a, view_b);
  SetOverlap result;
  std::uint64_t spent = 0;
  for (auto _ : state) {
    result = overlap_of_sets(prepared_a.get(), prepared_b.get(), budget, spent);
    benchmark::DoNotOptimize(result);
  }
  if (result.relation != expected.relation || result.shared_bytes != expected.shared_bytes) state.SkipWithError("another answer");
}

void BM_prepared_two_tiles(benchmark::State& state) {
  run_prepared(state, bytes({500, 50}, {400, 4}, kBase, 32), bytes({500, 50}, {400, 4}, kBase + 100 * 400 + 80, 32));
}
BENCHMARK(BM_prepared_two_tiles);

void BM_prepared_four_axes(benchmark::State& state) {
  run_prepared(state, bytes({16, 32, 14, 14}, {100352, 3136, 112, 8}, kBase, 32),
               bytes({8, 3, 20, 28}, {200704, 6272, 112, 4}, kBase + 3136, 32));
}
BENCHMARK(BM_prepared_four_axes);

// The same, and then the number of the lowest element of each view there, as for a pair that somebody looks at.
void BM_prepared_two_tiles_with_elements(benchmark::State& state) {
  const OwnedView a = bytes({500, 50}, {400, 4}, kBase, 32), b = bytes({500, 50}, {400, 4}, kBase + 100 * 400 + 80, 32);
  const MemoryView view_a = a.view(), view_b = b.view();
  const PreparedView prepared_a(view_a), prepared_b(view_b);
  const OverlapBudget budget;
  std::uint64_t spent = 0, in_a = 0, in_b = 0;
  bool found = true;
  for (auto _ : state) {
    const SetOverlap result = overlap_of_sets(prepared_a.get(), prepared_b.get(), budget, spent);
    found = find_element(view_a, result.witness, budget, in_a, spent) && find_element(view_b, result.witness, budget, in_b, spent);
    benchmark::DoNotOptimize(in_a);
    benchmark::DoNotOptimize(in_b);
  }
  const Overlap expected = overlap(view_a, view_b);
  if (!found || !expected.witness || expected.witness->a_flat != in_a || expected.witness->b_flat != in_b)
    state.SkipWithError("another answer");
}
BENCHMARK(BM_prepared_two_tiles_with_elements);

void BM_prepared_steps_7_and_9(benchmark::State& state) {
  run_prepared(state, bytes({5000}, {28}, kBase, 32), bytes({3000}, {36}, kBase + 4, 32));
}
BENCHMARK(BM_prepared_steps_7_and_9);

// x.ravel()[::7] against a tile: by floor sums.
void BM_prepared_step_7_and_tile(benchmark::State& state) {
  run_prepared(state, bytes({1400}, {28}, kBase, 32), bytes({50, 50}, {400, 8}, kBase + 10 * 400 + 80, 32));
}
BENCHMARK(BM_prepared_step_7_and_tile);

// The example in the documentation of numpy.shares_memory, said there to take about a minute.
void BM_numpy_hard_example(benchmark::State& state) {
  run(state, bytes({1049, 1049, 1049}, {36674, 61119, 85569}, kBase, 8),
      bytes({1049, 1049, 1}, {12223, 12224, 1}, kBase + 64023025, 8), OverlapMethod::sweep);
}
BENCHMARK(BM_numpy_hard_example)->Unit(benchmark::kMillisecond);

// Three strides without a common multiple, joint window of 4 GiB.
void BM_float32_4_gib(benchmark::State& state) {
  run(state, bytes({1049, 1049, 1049}, {4 * 204749, 4 * 341207, 4 * 477709}, kBase, 32),
      bytes({1051, 1051, 1051}, {4 * 204791, 4 * 341219, 4 * 477721}, kBase + 4, 32), OverlapMethod::sweep);
}
BENCHMARK(BM_float32_4_gib)->Unit(benchmark::kMillisecond);

void BM_int8_1_gib(benchmark::State& state) {
  run(state, bytes({1049, 1049, 1049}, {204749, 341207, 477709}, kBase, 8),
      bytes({1051, 1051, 1051}, {204791, 341219, 477721}, kBase + 1, 8), OverlapMethod::sweep);
}
BENCHMARK(BM_int8_1_gib)->Unit(benchmark::kMillisecond);

// Both ways to decide a joint window bit by bit: which one takes less time, and whether that one is chosen.
void both_ways(benchmark::State& state, const OwnedView& a, const OwnedView& b) {
  const MemoryView view_a = a.view(), view_b = b.view();
  const PreparedView prepared_a(view_a), prepared_b(view_b);
  const bool sweeps = state.range(0) != 0;
  const OverlapBudget budget;
  SetOverlap result;
  for (auto _ : state) {
    result = sweeps ? overlap_by_row_sweep(prepared_a.get().set, prepared_b.get().set, budget)
                    : overlap_by_bit_sets(prepared_a.get().set, prepared_b.get().set, budget);
    benchmark::DoNotOptimize(result);
  }
  const Overlap chosen = overlap(view_a, view_b);
  const auto time_of = [&](auto by) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i)
      times.push_back(dlscope::bench::cpu_seconds(
          [&] { benchmark::DoNotOptimize(by(prepared_a.get().set, prepared_b.get().set, budget)); }));
    return dlscope::bench::at_part(times, 0);
  };
  const double swept = time_of(overlap_by_row_sweep), built = time_of(overlap_by_bit_sets);
  if (chosen.method != OverlapMethod::sweep && chosen.method != OverlapMethod::bitset)
    return state.SkipWithError("neither way is chosen");
  if ((chosen.method == OverlapMethod::sweep ? swept / built : built / swept) > 1.5)
    return state.SkipWithError("the dearer way is chosen");
  if (result.relation != chosen.relation || result.shared_bytes != chosen.shared_bytes) state.SkipWithError("another answer");
  state.SetLabel(std::string(sweeps ? "swept" : "built") + "; chosen: " + overlap_method_name(chosen.method));
}

void BM_both_float32_4_gib(benchmark::State& state) {
  both_ways(state, bytes({1049, 1049, 1049}, {4 * 204749, 4 * 341207, 4 * 477709}, kBase, 32),
            bytes({1051, 1051, 1051}, {4 * 204791, 4 * 341219, 4 * 477721}, kBase + 4, 32));
}
BENCHMARK(BM_both_float32_4_gib)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_both_two_axes(benchmark::State& state) {
  both_ways(state, bytes({4001, 4001}, {4 * 65537, 4 * 65539}, kBase, 32),
            bytes({4001, 4001}, {4 * 65521, 4 * 65543}, kBase + 4, 32));
}
BENCHMARK(BM_both_two_axes)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_both_four_axes(benchmark::State& state) {
  both_ways(state, bytes({180, 180, 180, 180}, {4 * 40009, 4 * 90001, 4 * 170003, 4 * 290011}, kBase, 32),
            bytes({180, 180, 180, 180}, {4 * 40013, 4 * 90007, 4 * 170021, 4 * 290021}, kBase + 4, 32));
}
BENCHMARK(BM_both_four_axes)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_both_five_axes(benchmark::State& state) {
  both_ways(state, bytes({64, 64, 64, 64, 64}, {4 * 100003, 4 * 250007, 4 * 600011, 4 * 1200007, 4 * 1900009}, kBase, 32),
            bytes({64, 64, 64, 64, 64}, {4 * 100019, 4 * 250013, 4 * 600043, 4 * 1200011, 4 * 1900021}, kBase + 4, 32));
}
BENCHMARK(BM_both_five_axes)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_both_numpy_hard_example(benchmark::State& state) {
  both_ways(state, bytes({1049, 1049, 1049}, {36674, 61119, 85569}, kBase, 8),
            bytes({1049, 1049, 1}, {12223, 12224, 1}, kBase + 64023025, 8));
}
BENCHMARK(BM_both_numpy_hard_example)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// Pairs of slices, diagonals, windows and reshaped parts of one array, as find_sharing() compares them: how long one takes that
// is quicker than half of them, nine tenths and 99 hundredths (nanoseconds).
void BM_usual_pairs(benchmark::State& state) {
  constexpr int kPairs = 1'000, kRepeats = 200;
  Random random(17);
  std::vector<ViewPair> pairs;
  while (pairs.size() < kPairs) {
    ViewPair pair = random_large_pair(random);
    const bool is_plain = pair.a.layout.shape.size() != 3 && pair.b.layout.shape.size() != 3;  // not three strides at random
    if (is_plain && pair.a.extent.meets(pair.b.extent)) pairs.push_back(std::move(pair));
  }
  std::vector<double> times;
  for (auto _ : state) {
    times.clear();
    for (const ViewPair& pair : pairs) {
      const MemoryView view_a = pair.a.view(), view_b = pair.b.view();
      const PreparedView prepared_a(view_a), prepared_b(view_b);
      std::uint64_t spent = 0;
      int repeats = 0;
      const double taken = dlscope::bench::cpu_seconds([&] {
        do benchmark::DoNotOptimize(overlap_of_sets(prepared_a.get(), prepared_b.get(), {}, spent));
        while (++repeats < kRepeats && spent < 100'000);
      });
      times.push_back(taken / repeats * 1e9);
    }
  }
  for (const auto& [name, part] : {std::pair("p50", 0.5), std::pair("p90", 0.9), std::pair("p99", 0.99)})
    state.counters[name] = dlscope::bench::at_part(times, part);
}
BENCHMARK(BM_usual_pairs)->Unit(benchmark::kMillisecond);

// numpy's own benchmark of this kind: many axes, random strides, about 2e6 candidates.
void BM_random_strides(benchmark::State& state) {
  Random random(1);
  std::vector<ViewPair> pairs;
  while (pairs.size() < 64) {
    const auto make = [&] {
      Layout layout{{}, {}, 8};
      for (std::int64_t d = pick(random, 8, 12); d > 0; --d) {
        layout.shape.push_back(pick(random, 2, 5));
        layout.stride_bits.push_back(8 * pick(random, 1, 2000));
      }
      return make_view(std::move(layout), kBase + static_cast<Address>(pick(random, 0, 5000)));
    };
    OwnedView a = make();
    pairs.push_back({std::move(a), make()});
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const ViewPair& pair = pairs[i++ % pairs.size()];
    benchmark::DoNotOptimize(overlap(pair.a.view(), pair.b.view()));
  }
}
BENCHMARK(BM_random_strides)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
