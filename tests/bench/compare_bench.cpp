// Comparing two tensors of the same size, against the rate at which memcmp walks the same memory, measured between the rounds of the
// same run. Nothing is timed whose result is not first checked: one planted difference is found, and nothing else.
//   compare_bench [MIB=1024] [ROUNDS=9] [NAME: only cases with this in their name]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/compare/compare.h"
#include "core/memory/prompt_reader.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::at_part;
using dlscope::bench::cpu_seconds;
using dlscope::bench::median;
using dlscope::bench::seconds;

struct Case {
  std::string name;
  DType dtype;
  Layout a, b;
  unsigned threads;
  bool differ = false;  // every value of B from A's
  const MemoryReader* reader = nullptr;  // not null: in steps and through it, as the window has it
};

volatile int sink;

// A bit of every value, another one in turn.
void change_all(std::vector<std::byte>& bytes, std::size_t each) {
  for (std::size_t i = 0; i < bytes.size(); i += each) bytes[i] ^= std::byte{1} << (i / each % 5);
}

void leave(const std::string& why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

Comparison in_steps(const ComparedTensor& a, const ComparedTensor& b, unsigned threads) {
  CompareTask task(a, b, {}, threads);
  while (task.step().value() == Task::State::more) {
  }
  return task.found();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const std::string wanted = argc > 3 ? argv[3] : "";
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(mib << 20) / 4)) / 64 * 64;
  const std::size_t bytes = static_cast<std::size_t>(side * side) * 4;
  std::vector<std::byte> a(bytes), b(bytes);
  // Symmetric, so that a transposed partner holds the same values.
  auto* const floats = reinterpret_cast<float*>(a.data());
  for (std::int64_t r = 0; r < side; ++r)
    for (std::int64_t c = 0; c < side; ++c)
      floats[r * side + c] = static_cast<float>(std::min(r, c) * 31 % 1009) + static_cast<float>(std::max(r, c) % 97) * 0.01F;
  std::memcpy(b.data(), a.data(), bytes);
  const std::vector<std::byte> equal_memory = a;  // what memcmp walks to its end

  const DType f32 = dtype_from_name("float32").value(), f16 = dtype_from_name("float16").value(),
              i8 = dtype_from_name("int8").value(), i64 = dtype_from_name("int64").value(),
              c64 = dtype_from_name("complex64").value();
  const Layout dense = Layout::c_order({side, side}, 32);
  const Layout turned = Layout::from_element_strides({side, side}, {1, side}, 32);
  const std::shared_ptr<const MemoryReader> direct = process_reader(0).value();
  const auto prompt = std::make_shared<PromptReader>(direct, DeadlineReader(direct));
  const Case cases[] = {
      {"float32, one thread", f32, dense, dense, 1},
      {"float32", f32, dense, dense, 0},
      {"float16, one thread", f16, Layout::c_order({side, side * 2}, 16), Layout::c_order({side, side * 2}, 16), 1},
      {"int8, one thread", i8, Layout::c_order({side, side * 4}, 8), Layout::c_order({side, side * 4}, 8), 1},
      {"float32, both transposed", f32, turned, turned, 1},
      {"float32, one transposed", f32, dense, turned, 1},
      {"float32, all differ", f32, dense, dense, 1, true},
      {"float16, all differ", f16, Layout::c_order({side, side * 2}, 16), Layout::c_order({side, side * 2}, 16), 1, true},
      {"int64, all differ", i64, Layout::c_order({side, side / 2}, 64), Layout::c_order({side, side / 2}, 64), 1, true},
      {"complex64, all differ", c64, Layout::c_order({side, side / 2}, 64), Layout::c_order({side, side / 2}, 64), 1, true},
      {"the window's, one thread", f32, dense, dense, 1, false, prompt.get()},
      {"the window's", f32, dense, dense, 0, false, prompt.get()},
      {"plain reads, one thread", f32, dense, dense, 1, false, direct.get()}};
  for (const Case& one : cases) {
    if (one.name.find(wanted) == std::string::npos) continue;
    const auto compare = [&]() -> Result<Comparison> {
      CompareOptions options;
      options.threads = one.threads;
      const ComparedTensor of_a{one.dtype, one.a, reinterpret_cast<Address>(a.data()), {one.reader}},
          of_b{one.dtype, one.b, reinterpret_cast<Address>(b.data()), {one.reader}};
      if (one.reader != nullptr) return in_steps(of_a, of_b, one.threads);
      return compare_tensors(of_a, of_b, options);
    };
    const std::size_t at = bytes / 8 * 5 / 64 * 64;
    b[at] ^= std::byte{1};
    const auto planted = compare();
    b[at] ^= std::byte{1};
    if (!planted || planted->different_bits != 1 || !planted->first_bits)
      leave(one.name + ": the planted difference was not found");
    if (bit_offset_of(one.b, *planted->first_bits) / 8 != static_cast<std::int64_t>(at))
      leave(one.name + ": it was found elsewhere");
    const auto equal = compare();
    if (!equal || !equal->bit_equal() || equal->hash_a != equal->hash_b)
      leave(one.name + ": equal tensors were called different");
    if (one.differ) change_all(b, one.dtype.bits / 8);
    if (one.differ && compare()->different_bits != bytes / (one.dtype.bits / 8U))
      leave(one.name + ": not every value was found different");

    std::vector<double> plain, cpu, wall;
    const auto walk = [&] { sink = std::memcmp(a.data(), equal_memory.data(), bytes); };
    for (int round = 0; round < rounds; ++round) {
      plain.push_back(cpu_seconds(walk));
      cpu.push_back(cpu_seconds([&] { wall.push_back(seconds([&] { sink = compare()->bit_equal() ? 1 : 0; })); }));
      plain.push_back(cpu_seconds(walk));
    }
    const double of_memcmp = at_part(plain, 0) / at_part(cpu, 0) * 100, of_median = median(plain) / median(cpu) * 100;
    fmt::print("{:26} {:6.1f} ms of the processors, {:6.1f} by the clock; of memcmp's rate: {:4.0f} %, median {:4.0f} %\n", one.name,
               at_part(cpu, 0) * 1e3, at_part(wall, 0) * 1e3, of_memcmp, of_median);
    if (one.differ) change_all(b, one.dtype.bits / 8);  // back again
  }
}
