// Searching a tensor for a value, against the rate at which this machine reads memory, measured between the rounds of the same run. Read
// as the window has it, in steps. Nothing is timed whose answer is not first checked: one planted value is found, and nothing else.
//   search_bench [MIB=512] [ROUNDS=9]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/memory/prompt_reader.h"
#include "core/search/find_value.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::median;
using dlscope::bench::seconds;

volatile std::uint64_t sink;

// Every word of it, on one thread.
double read_seconds(const std::vector<float>& memory) {
  return seconds([&] {
    std::uint64_t all = 0;
    const auto* const words = reinterpret_cast<const std::uint64_t*>(memory.data());
    for (std::size_t i = 0; i < memory.size() / 2; ++i) all += words[i];
    sink = all;
  });
}

SnapshotPtr snapshot_of(const std::vector<float>& memory, const Layout& layout) {
  auto snapshot = std::make_shared<Snapshot>();
  TensorRecord tensor;
  tensor.address = tensor.data = reinterpret_cast<Address>(memory.data());
  tensor.dtype = *dtype_from_name("float32");
  tensor.item_bits = 32;
  tensor.rank = static_cast<std::uint8_t>(layout.shape.size());
  tensor.elements = memory.size();
  snapshot->dims = layout.shape;
  snapshot->dims.insert(snapshot->dims.end(), layout.stride_bits.begin(), layout.stride_bits.end());
  snapshot->tensors.push_back(tensor);
  return snapshot;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(mib << 20) / 4)) / 64 * 64;
  std::vector<float> memory(static_cast<std::size_t>(side * side), 0.5F);
  const std::shared_ptr<const MemoryReader> direct = process_reader(0).value();
  const auto prompt = std::make_shared<PromptReader>(direct, DeadlineReader(direct));
  const Layout dense = Layout::c_order({side, side}, 32), turned = Layout::from_element_strides({side, side}, {1, side}, 32);
  const auto search = [&](const Layout& layout, unsigned threads) {
    const SnapshotPtr snapshot = snapshot_of(memory, layout);
    FindValueTask task(snapshot, 0, prompt, ValueTest::make(snapshot->tensors[0].dtype, SearchedValue::special).value(), 0, threads);
    while (task.step().value() == Task::State::more) {
    }
    return task.found();
  };
  struct Case {
    const char* name;
    const Layout* layout;
    unsigned threads;
  };
  for (const Case& one : {Case{"one thread", &dense, 1}, Case{"as many as are of use", &dense, 0},
                          Case{"transposed, one thread", &turned, 1}, Case{"transposed", &turned, 0}}) {
    const std::size_t at = memory.size() / 8 * 5;
    memory[at] = NAN;
    const ValueMatches planted = search(*one.layout, one.threads);
    memory[at] = 0.5F;
    if (planted.matches != 1 || bit_offset_of(*one.layout, planted.first.value_or(0)) / 32 != static_cast<std::int64_t>(at) ||
        search(*one.layout, one.threads).matches != 0) {
      fmt::print("{}: the planted value was not found, or another one\n", one.name);
      return 1;
    }
    std::vector<double> times, ratios;
    for (int round = 0; round < rounds; ++round) {
      const double before = read_seconds(memory);
      times.push_back(seconds([&] { static_cast<void>(search(*one.layout, one.threads)); }));
      ratios.push_back((before + read_seconds(memory)) / 2 / times.back());
    }
    fmt::print("{:<24} {:6.1f} ms (median {:6.1f})   of the rate of reading on one thread: best {:3.0f} %, median {:3.0f} %\n", one.name,
               *std::ranges::min_element(times) * 1e3, median(times) * 1e3, *std::ranges::max_element(ratios) * 100,
               median(ratios) * 100);
  }
  return 0;
}
