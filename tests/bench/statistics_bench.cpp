// Statistics of more memory than any cache holds against the rate at which this machine reads memory, measured between the rounds of the
// same run. Nothing is timed whose result is not first that of the slow reference (on a part) and
// of a plain loop (on all of it). Best and median of the rounds' own ratios.
// With the default numbers it takes about a minute; the goals are for 1024 MiB.
// DLSCOPE_SIMD=avx2 or baseline: with no better instructions than these.
//   statistics_bench [MIB=256] [ROUNDS=5] [NAME: only cases with this in their name, "task" for the window's]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/prompt_reader.h"
#include "core/statistics/block_kernels.h"
#include "core/statistics/statistics_task.h"
#include "tests/bench/statistics_cases.h"

namespace {

using namespace dlscope::bench;

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
  const DType f32 = *dtype_from_name("float32");
  std::vector<Case> cases;
  for (const char* const name :
       {"float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64", "float8_e4m3fn"}) {
    cases.push_back(dense_case(name, bytes));
  }
  for (const char* const name : {"float32", "float16", "float64", "int8", "int32"}) cases.push_back(dense_case(name, bytes, true));
  std::ranges::move(strided_cases(bytes), std::back_inserter(cases));
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
