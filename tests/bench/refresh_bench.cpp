// SnapshotBuilder::analyse() of 1e5 tensors of which some changed since the last look, against doing all of it again, in turns
// (`of_full`: the median of the ratios). Compare times with BM_calibrate_copy of the same run.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;

constexpr Address kBase = Address{1} << 40;
constexpr Address kPitch = 400;  // bytes of a row of an array

TensorDesc float32_at(Address address, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides_bytes) {
  const Layout layout = Layout::from_byte_strides(std::move(shape), strides_bytes, 32);
  TensorDesc desc;
  desc.clear();
  desc.protocol = Protocol::dlpack;
  desc.has_metadata = desc.has_layout = true;
  desc.dtype = {static_cast<std::uint8_t>(DTypeCode::float_), 32, 1};
  desc.device = kCpuDevice;
  desc.data = address;
  desc.rank = static_cast<std::int32_t>(layout.shape.size());
  std::ranges::copy(layout.shape, desc.shape.begin());
  std::ranges::copy(layout.stride_bits, desc.stride_bits.begin());
  (void)check_layout(layout, desc.bounds);
  desc.extent = extent_of(desc.bounds, address).value();
  return desc;
}

// Arrays with a column and a tile each: as many pairs as tensors. `moved` of the arrays lie elsewhere.
SnapshotBuilder scene(std::size_t tensors, std::size_t moved) {
  SnapshotBuilder builder;
  const TextRef library = builder.intern("numpy"), type = builder.intern("numpy.ndarray");
  for (std::size_t i = 0; i < tensors / 3; ++i) {
    const std::size_t step = moved > 0 ? tensors / 3 / moved : tensors;  // every step-th
    const bool is_moved = i % step == step - 1;
    const Address array = kBase + (is_moved ? i + tensors : i) * (Address{1} << 17);
    const std::string name = "arrays[" + std::to_string(i) + "]";
    builder.add_tensor(float32_at(array, {100, 100}, {kPitch, 4}), library, type, builder.add_text(name));
    builder.add_tensor(float32_at(array + 40, {100}, {kPitch}), library, type, builder.add_text(name + "[:, 10]"));
    builder.add_tensor(float32_at(array + 4080, {50, 30}, {kPitch, 4}), library, type, builder.add_text(name + "[10:60, 20:50]"));
  }
  return builder;
}

constexpr std::size_t kTensors = 99'999;

// Calibration: copying the records of as many tensors.
void BM_calibrate_copy(benchmark::State& state) {
  std::vector<TensorRecord> from(kTensors), to(kTensors);
  for (auto _ : state) {
    std::memcpy(static_cast<void*>(to.data()), from.data(), kTensors * sizeof(TensorRecord));
    benchmark::DoNotOptimize(to.data());
  }
}
BENCHMARK(BM_calibrate_copy)->Unit(benchmark::kMillisecond);

std::shared_ptr<const Snapshot> last_look() {
  SnapshotBuilder builder = scene(kTensors, 0);
  builder.analyse({});
  return builder.finish();
}

// CPU seconds. earlier null: all of it.
double time_of_analysis(SnapshotBuilder builder, const Snapshot* earlier) {
  AnalyseOptions options;
  options.earlier = earlier;
  options.sharing.threads = 1;  // its CPU time is that of the work
  const double taken = dlscope::bench::cpu_seconds([&] { builder.analyse(options); });
  if (builder.finish()->groups.size() != kTensors / 3) throw std::logic_error("groups are missing");
  return taken;
}

// So many arrays, with their two views each, lie elsewhere since the last look.
void BM_refresh_moved(benchmark::State& state) {
  const auto moved = static_cast<std::size_t>(state.range(0));
  const auto earlier = last_look();
  std::vector<double> ratios, full_times;
  for (auto _ : state) {
    full_times.push_back(time_of_analysis(scene(kTensors, moved), nullptr));
    const double refresh = time_of_analysis(scene(kTensors, moved), earlier.get());
    state.SetIterationTime(refresh);
    ratios.push_back(refresh / full_times.back());
  }
  state.counters["full_ms"] = 1e3 * dlscope::bench::median(full_times);
  state.counters["of_full"] = dlscope::bench::median(ratios);
}
BENCHMARK(BM_refresh_moved)
    ->Arg(0)
    ->Arg(10)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(kTensors / 3)
    ->UseManualTime()
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
