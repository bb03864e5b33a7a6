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
using dlscope::bench::at_part;
using dlscope::bench::cpu_seconds;
using dlscope::bench::median;
using dlscope::bench::seconds;

volatile std::uint64_t sink;

// Every word of it, on one thread.
void read(const std::vector<float>& memory) {
  std::uint64_t all = 0;
  const auto* const words = reinterpret_cast<const std::uint64_t*>(memory.data());
  for (std::size_t i = 0; i < memory.size() / 2; ++i) all += words[i];
  sink = all;
}

SnapshotPtr snapshot_of(const std::vector<float>& memory, const char* dtype, const Layout& layout) {
  auto snapshot = std::make_shared<Snapshot>();
  TensorRecord tensor;
  tensor.address = tensor.data = reinterpret_cast<Address>(memory.data());
  tensor.dtype = *dtype_from_name(dtype);
  tensor.item_bits = layout.item_bits;
  tensor.rank = static_cast<std::uint8_t>(layout.shape.size());
  tensor.elements = memory.size() * 32 / layout.item_bits;
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
  const Layout bytes = Layout::c_order({side, side * 4}, 8);
  const Layout turned_bytes = Layout::from_element_strides({side * 4, side}, {1, side * 4}, 8);
  struct Case {
    const char* name;
    const Layout* layout;
    unsigned threads;
    const char *dtype = "float32", *text = "";  // "": what is special
    bool all_match = false;
  };
  const auto search = [&](const Case& one) {
    const SnapshotPtr snapshot = snapshot_of(memory, one.dtype, *one.layout);
    const SearchedValue sought = *one.text == '\0' ? SearchedValue::special : SearchedValue::equal;
    FindValueTask task(snapshot, 0, prompt, ValueTest::make(snapshot->tensors[0].dtype, sought, one.text).value(),
                       snapshot->tensors[0].elements / 2, one.threads);
    while (task.step().value() == Task::State::more) {
    }
    return task.found();
  };
  const auto is_right = [&](const Case& one) {
    const std::size_t at = memory.size() / 8 * 5;
    memory[at] = NAN;  // of its four bytes the last one is 127
    const ValueMatches planted = search(one);
    memory[at] = 0.5F;
    const std::uint64_t all = memory.size() * 32 / one.layout->item_bits;
    if (one.all_match)
      return planted.matches == all - 1 && search(one).matches == all && planted.first == 0 && planted.next == all / 2;
    const std::int64_t byte = bit_offset_of(*one.layout, planted.first.value_or(0)) / 8;
    return planted.matches == 1 && byte / 4 == static_cast<std::int64_t>(at) && search(one).matches == 0;
  };
  for (const Case& one : {Case{"one thread", &dense, 1}, Case{"as many as are of use", &dense, 0},
                          Case{"transposed, one thread", &turned, 1}, Case{"transposed", &turned, 0},
                          Case{"int8, one thread", &bytes, 1, "int8", "127"},
                          Case{"int8, transposed", &turned_bytes, 1, "int8", "127"},
                          Case{"all match, one thread", &dense, 1, "float32", "0.5", true},
                          Case{"all match, transposed", &turned, 1, "float32", "0.5", true}}) {
    if (!is_right(one)) {
      fmt::print("{}: the planted value was not found, or another one\n", one.name);
      return 1;
    }
    std::vector<double> reading, cpu, wall;
    for (int round = 0; round < rounds; ++round) {
      reading.push_back(cpu_seconds([&] { read(memory); }));
      cpu.push_back(cpu_seconds([&] {
        wall.push_back(seconds([&] { static_cast<void>(search(one)); }));
      }));
      reading.push_back(cpu_seconds([&] { read(memory); }));
    }
    const double of_reading = at_part(reading, 0) / at_part(cpu, 0), of_median = median(reading) / median(cpu);
    fmt::print("{:<24} {:6.1f} ms of the processors (median {:6.1f}), {:6.1f} by the clock; of the rate of reading: {:3.0f} % ({:3.0f} %)"
               "\n", one.name, at_part(cpu, 0) * 1e3, median(cpu) * 1e3, at_part(wall, 0) * 1e3, of_reading * 100, of_median * 100);
  }
  return 0;
}
