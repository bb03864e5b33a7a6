// Describing 1e5 DLPack structs. Ratios in one run: BM_walk_structs touches the same memory and does nothing else.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/tensor/dlpack_import.h"
#include "tests/support/fake_producer.h"

namespace {

using namespace dlscope::core;
using namespace dlscope::tests;

constexpr std::size_t kTensors = 100'000;

std::vector<Address> write_structs(FakeProducer& producer, CapsuleKind kind) {
  std::vector<Address> structs;
  structs.reserve(kTensors);
  Claim claim;
  claim.shape = {{3, 4, 5}};
  claim.strides = {{20, 5, 1}};
  for (std::size_t i = 0; i < kTensors; ++i) {
    claim.data += 256;
    structs.push_back(producer.write(claim, kind));
  }
  return structs;
}

void BM_walk_structs(benchmark::State& state) {
  FakeProducer producer(Placement::plain);
  const auto structs = write_structs(producer, CapsuleKind::dltensor_versioned);
  for (auto _ : state) {
    for (const Address at : structs) {
      DLManagedTensorVersioned managed;
      std::memcpy(&managed, reinterpret_cast<const void*>(at), sizeof managed);
      benchmark::DoNotOptimize(managed.dl_tensor.shape[0] + managed.dl_tensor.strides[0]);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kTensors) * state.iterations());
}
BENCHMARK(BM_walk_structs)->Unit(benchmark::kMillisecond);

// As it is in a scan: the last answer serves for the next tensor.
class Everything final : public MappedMemory {
  bool look_up(Address, std::size_t) override {
    last_range_ = {0, ~Address{0}};
    return true;
  }
  bool look_up_deleter(Address deleter) override {
    last_deleter_ = {deleter, true};
    return true;
  }
};

void BM_describe_mapped(benchmark::State& state) {
  const auto kind = state.range(0) ? CapsuleKind::dltensor_versioned : CapsuleKind::dltensor;
  FakeProducer producer(Placement::plain);
  const auto structs = write_structs(producer, kind);
  Everything memory;
  TensorDesc desc;
  for (auto _ : state) {
    for (const Address at : structs) {
      if (!describe_managed_mapped(at, kind, memory, desc)) state.SkipWithError("declined");
      benchmark::DoNotOptimize(desc.extent);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kTensors) * state.iterations());
}
BENCHMARK(BM_describe_mapped)->ArgName("versioned")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_describe_checked(benchmark::State& state) {
  FakeProducer producer(Placement::plain);
  const auto structs = write_structs(producer, CapsuleKind::dltensor_versioned);
  const auto reader = process_reader(0).value();
  const AddressMap map = AddressMap::load(0).value();
  TensorDesc desc;
  for (auto _ : state) {
    for (const Address at : structs) {
      describe_managed_checked(at, CapsuleKind::dltensor_versioned, *reader, &map, desc);
      benchmark::DoNotOptimize(desc.extent);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kTensors) * state.iterations());
}
BENCHMARK(BM_describe_checked)->Unit(benchmark::kMillisecond);

void BM_load_address_map(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(AddressMap::load(0));
}
BENCHMARK(BM_load_address_map)->Unit(benchmark::kMicrosecond);

// 20 000 lines of text: the parsing alone, without the kernel writing them.
void BM_parse_20000_maps_lines(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    char line[128];
    std::snprintf(line, sizeof line, "7f%08x000-7f%08x000 rw-p 00001000 08:02 173521    %s\n", 2 * i, 2 * i + 1,
                  i % 3 ? "" : "/usr/lib/x86_64-linux-gnu/libsomething.so.1");
    text += line;
  }
  for (auto _ : state) benchmark::DoNotOptimize(AddressMap::parse(text));
}
BENCHMARK(BM_parse_20000_maps_lines)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
