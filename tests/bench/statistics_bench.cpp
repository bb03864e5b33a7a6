// Statistics of more memory than any cache holds against the rate at which this machine reads memory, measured between the rounds of the
// same run. Nothing is timed whose result is not first that of the slow reference (on a part) and
// of a plain loop (on all of it). Best and median of the rounds' own ratios.
// With the default numbers it takes about a minute; the goals are for 1024 MiB.
// DLSCOPE_SIMD=avx2 or baseline: with no better instructions than these.
//   statistics_bench [MIB=256] [ROUNDS=5] [NAME: only cases with this in their name, "task" for the window's]
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/memory/prompt_reader.h"
#include "core/statistics/block_kernels.h"
#include "core/statistics/statistics.h"
#include "core/statistics/statistics_task.h"
#include "tests/core/statistics/slow_reference.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::median;
using dlscope::bench::seconds;

// Reading alone: eight independent sums of whole words, which the compiler makes vectors of.
std::uint64_t read_all(const std::byte* from, std::size_t bytes) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
    std::uint64_t words[8];
    std::memcpy(words, from + i, sizeof words);
    for (std::size_t k = 0; k < 8; ++k) sums[k] += words[k];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

volatile std::uint64_t sink;

double read_seconds(const std::vector<std::byte>& memory, unsigned threads) {
  return seconds([&] {
    std::vector<std::jthread> others;
    const std::size_t part = memory.size() / threads;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { sink = read_all(memory.data() + i * part, part); });
    sink = read_all(memory.data(), part);
  });
}

struct Case {
  std::string name;
  DType dtype;
  Layout layout;
  std::uint64_t offset = 0;  // of element [0,...,0] in the memory
  bool histogram = false;
  double lines = 1;  // share of the memory whose cache lines are touched
};

// Ordinary numbers of the type, a few zeros among them.
void fill(std::vector<std::byte>& memory, DType dtype) {
  std::mt19937 chance(1);
  std::vector<std::byte> pattern(std::size_t{4} << 20);
  std::normal_distribution<double> normal(0.5, 2);
  const auto code = static_cast<DTypeCode>(dtype.code);
  for (std::size_t i = 0; i * dtype.bits / 8 < pattern.size(); ++i) {
    const double x = chance() % 50 == 0 ? 0 : normal(chance);
    const auto single = static_cast<float>(x);
    const auto bits = std::bit_cast<std::uint32_t>(single);
    std::uint64_t value = chance();
    if (code == DTypeCode::float_ && dtype.bits == 64) value = std::bit_cast<std::uint64_t>(x);
    if (code == DTypeCode::float_ && dtype.bits == 32) value = bits;
    if (code == DTypeCode::bfloat) value = bits >> 16;
    if (code == DTypeCode::float_ && dtype.bits == 16) value = (bits >> 16 & 0x8000) | (bits >> 13 & 0x3ff) | (13 + i % 4) << 10;
    std::memcpy(pattern.data() + i * dtype.bits / 8, &value, dtype.bits / 8);
  }
  for (std::size_t at = 0; at < memory.size(); at += pattern.size()) {
    std::memcpy(memory.data() + at, pattern.data(), std::min(pattern.size(), memory.size() - at));
  }
}

void check_or_leave(const Case& one, const std::vector<std::byte>& memory) {
  // A corner of every layout, by the slow reference.
  Layout corner = one.layout;
  for (std::int64_t& n : corner.shape) n = std::min<std::int64_t>(n, corner.shape.size() == 1 ? 100'000 : 300);
  const std::byte* const data = memory.data() + one.offset;
  StatisticsOptions options;
  options.histogram = one.histogram;
  const auto got = exact_statistics({one.dtype, corner, reinterpret_cast<Address>(data), ElementSource::held_memory()}, options);
  const std::string wrong =
      got ? test::difference(got->summary, test::slow_statistics(one.dtype, corner, data)) : got.error().message;
  if (wrong.empty()) return;
  fmt::print("{}: {}\n", one.name, wrong);
  std::exit(1);
}

// Whole-tensor numbers by a plain loop, for the dense float32 case.
void check_all_of(const std::vector<std::byte>& memory, const ValueSummary& summary) {
  std::uint64_t zero = 0, negative = 0;
  double sum = 0;
  for (std::size_t i = 0; i < memory.size(); i += 4) {
    float x = 0;
    std::memcpy(&x, memory.data() + i, 4);
    zero += x == 0;
    negative += x < 0;
    sum += static_cast<double>(x);
  }
  const double mean = sum / static_cast<double>(memory.size() / 4);
  if (zero == summary.zero && negative == summary.negative && std::abs(mean - summary.mean) <= summary.mean_error + 1e-9) return;
  fmt::print("float32: the whole tensor's numbers are wrong\n");
  std::exit(1);
}

void run(const Case& one, const std::vector<std::byte>& memory, unsigned threads, int rounds) {
  StatisticsOptions options;
  options.histogram = one.histogram;
  options.threads = threads;
  std::vector<double> ratios, times, reads;
  for (int round = 0; round < rounds; ++round) {
    const double before = read_seconds(memory, threads);
    Result<Statistics> got;
    const double time = seconds([&] {
      got = exact_statistics(
          {one.dtype, one.layout, reinterpret_cast<Address>(memory.data() + one.offset), ElementSource::held_memory()}, options);
    });
    if (!got) std::exit(1);
    if (round == 0 && one.name == "float32") check_all_of(memory, got->summary);
    const double after = read_seconds(memory, threads);
    const double read = (before + after) / 2 * one.lines;
    times.push_back(time);
    reads.push_back(read);
    ratios.push_back(read / time);
  }
  fmt::print(
      "{:<38} {} thread{}  {:7.1f} ms (median {:7.1f})   reading {:6.1f} ms   of the read rate: best {:4.0f} %, median {:4.0f} "
      "%\n",
      one.name, threads, threads == 1 ? " " : "s", *std::ranges::min_element(times) * 1e3, median(times) * 1e3,
      *std::ranges::min_element(reads) * 1e3, *std::ranges::max_element(ratios) * 100, median(ratios) * 100);
}

// As the window has them worked out: in steps, after a sample, with the histogram, through a reader that cannot crash.
void run_task(const char* name, const std::shared_ptr<const MemoryReader>& reader, const std::vector<std::byte>& memory,
              unsigned threads, int rounds) {
  const DType f32 = *dtype_from_name("float32");
  const Layout layout = Layout::c_order({static_cast<std::int64_t>(memory.size() / 4)}, 32);
  std::vector<double> ratios, times, firsts;
  for (int round = 0; round < rounds; ++round) {
    const double before = read_seconds(memory, threads);
    StatisticsTask task({f32, layout, reinterpret_cast<Address>(memory.data()), {}}, nullptr, reader, threads);
    bool more = true;
    const auto step = [&] { more = task.step().value() == Task::State::more; };
    const double first = seconds(step);
    const double rest = seconds([&] {
      while (more) step();
    });
    if (round == 0) check_all_of(memory, task.exact()->summary);
    firsts.push_back(first);
    times.push_back(first + rest);
    ratios.push_back((before + read_seconds(memory, threads)) / 2 / (first + rest));
  }
  fmt::print(
      "float32 as the window's task{:<14} {} thread{}  {:7.1f} ms (median {:7.1f})   the sample {:5.1f} ms   of the read rate: "
      "best {:4.0f} %, median {:4.0f} %\n",
      name, threads, threads == 1 ? " " : "s", *std::ranges::min_element(times) * 1e3, median(times) * 1e3, median(firsts) * 1e3,
      *std::ranges::max_element(ratios) * 100, median(ratios) * 100);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t mib = argc > 1 ? std::atoll(argv[1]) : 256;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::string wanted = argc > 3 ? argv[3] : "";
  const std::int64_t bytes = mib << 20;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each line when it is known, also into a file
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  fmt::print("{} MiB, {} rounds, kernels: {}\n", mib, rounds, block_kernels().name);
  const auto side =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(bytes / 4)))));
  const auto dense = [&](const char* dtype, bool histogram) {
    const DType type = *dtype_from_name(dtype);
    return Case{std::string(dtype) + (histogram ? " with histogram" : ""), type,
                Layout::c_order({bytes * 8 / type.bits}, type.bits), 0, histogram};
  };
  const DType f32 = *dtype_from_name("float32");
  std::vector<Case> cases;
  for (const char* const name :
       {"float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64", "float8_e4m3fn"}) {
    cases.push_back(dense(name, false));
  }
  for (const char* const name : {"float32", "float16", "float64", "int8", "int32"}) cases.push_back(dense(name, true));
  const double square = static_cast<double>(side * side * 4) / static_cast<double>(bytes);
  cases.push_back({"float32 transposed", f32, Layout::from_element_strides({side, side}, {1, side}, 32), 0, false, square});
  cases.push_back({"float32 reversed", f32, Layout::from_element_strides({bytes / 4}, {-1}, 32),
                   static_cast<std::uint64_t>(bytes - 4), false});
  cases.push_back({"float32 permuted (2, 0, 1)", f32, Layout::from_element_strides({64, side / 64, side}, {1, 64 * side, 64}, 32),
                   0, false, square});
  cases.push_back({"float32 every 7th", f32, Layout::from_element_strides({bytes / 28}, {7}, 32), 0, false});
  fill(memory, f32);
  if (std::string_view("task").find(wanted) != std::string_view::npos) {
    const std::shared_ptr<const MemoryReader> plain = process_reader(0).value();
    const auto prompt = std::make_shared<PromptReader>(plain, DeadlineReader(plain));
    for (const unsigned threads : {1u, 2u}) {
      run_task("", prompt, memory, threads, rounds);
      run_task(", no deadline", plain, memory, threads, rounds);
    }
  }
  std::string filled = "float32";
  for (const Case& one : cases) {
    if (one.name.find(wanted) == std::string::npos) continue;
    if (const std::string type = dtype_name(one.dtype); type != filled) {
      fill(memory, one.dtype);
      filled = type;
    }
    check_or_leave(one, memory);
    for (const unsigned threads : {1u, 2u}) run(one, memory, threads, rounds);
  }
  return 0;
}
