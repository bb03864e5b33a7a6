// The goals for statistics in one table, for each instruction set that our loops are compiled for: the ratio, the goal, and
// whether it was met. Every round measures reading, float32 and the case next to each other, and a ratio is of one round: the
// medians are printed. Results are checked against the slow reference before anything is timed.
//   statistics_goals [MIB=1024] [ROUNDS=7] [cpu: CPU time of all threads instead of the clock's, for a busy machine]
// Each instruction set is measured in a process of its own (DLSCOPE_SIMD is read once).
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/statistics/block_kernels.h"
#include "tests/bench/statistics_cases.h"

namespace {

using namespace dlscope::bench;

constexpr double kNoise = 1.1;  // "as float32": within a tenth of it

enum class Against { reading, float32 };  // time of the case, relative to that
struct Goal {
  Case one;
  Against against = Against::float32;
  double most[2] = {kNoise, kNoise};  // the ratio on one thread and on two
};

std::vector<Goal> goals(std::int64_t bytes) {
  std::vector<Goal> out{{dense_case("float32", bytes), Against::reading, {1 / 0.75, 1 / 0.85}}};
  for (const char* const half : {"float16", "bfloat16"}) out.push_back({dense_case(half, bytes), Against::float32, {1.3, 1.3}});
  for (const char* const other : {"float64", "int8"}) out.push_back({dense_case(other, bytes)});
  out.push_back({dense_case("float32", bytes, true), Against::float32, {2.5, 2.5}});
  for (Case& strided : strided_cases(bytes)) {
    if (strided.name == "float32 every 7th")
      out.push_back({std::move(strided), Against::reading, {1.2, 1.2}});
    else
      out.push_back({std::move(strided)});
  }
  return out;
}

Clock used_clock = seconds;

double statistics_seconds(const Case& one, const std::vector<std::byte>& memory, unsigned threads) {
  StatisticsOptions options;
  options.histogram = one.histogram;
  options.threads = threads;
  const auto address = reinterpret_cast<Address>(memory.data() + one.offset);
  return used_clock([&] {
    if (!exact_statistics({one.dtype, one.layout, address, ElementSource::held_memory()}, options)) std::exit(1);
  });
}

// floats: as large as `memory`, of float32.
void print_row(const Goal& goal, const std::vector<std::byte>& memory, const std::vector<std::byte>& floats, unsigned threads,
               int rounds) {
  const Case plain = dense_case("float32", static_cast<std::int64_t>(floats.size()));
  std::vector<double> times, to_reading, to_plain;
  for (int round = 0; round < rounds; ++round) {
    const double reading = read_seconds(memory, threads, used_clock) * goal.one.lines;
    const double float32 = statistics_seconds(plain, floats, threads) * goal.one.lines;
    times.push_back(statistics_seconds(goal.one, memory, threads));
    to_reading.push_back(times.back() / reading);
    to_plain.push_back(times.back() / float32);
  }
  const double ratio = median(goal.against == Against::reading ? to_reading : to_plain), most = goal.most[threads - 1];
  const char* const against = goal.against == Against::reading ? "reading" : "float32";
  const std::string verdict = ratio <= most ? "met" : fmt::format("**missed**: {:.2f}", ratio);
  fmt::print("| {} | {} | {} | {:.1f} ms | {:.0f} % | {:.2f} | {:.2f} times {} | {} |\n", goal.one.name, block_kernels().name,
             threads, median(times) * 1e3, 100 / median(to_reading), median(to_plain), most, against, verdict);
}

// In a process of its own.
void measure(const char* instructions, std::int64_t bytes, int rounds) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("DLSCOPE_SIMD", instructions, 1);
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes)), floats(memory.size());
    fill(floats, *dtype_from_name("float32"));
    std::string filled;
    for (const Goal& goal : goals(bytes)) {
      if (const std::string type = dtype_name(goal.one.dtype); std::exchange(filled, type) != type) fill(memory, goal.one.dtype);
      check_or_leave(goal.one, memory);
      for (const unsigned threads : {1u, 2u}) print_row(goal, memory, floats, threads, rounds);
    }
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 1024) << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc > 3 && std::string_view(argv[3]) == "cpu") used_clock = cpu_seconds;
  fmt::print("{} MiB, medians of {} rounds, {}\n\n", bytes >> 20, rounds,
             used_clock == seconds ? "time of the clock" : "CPU time of all threads");
  fmt::print("| case | instructions | threads | time | of the read rate | time / float32's | goal: at most | |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  ::unsetenv("DLSCOPE_SIMD");
  for (const char* const instructions : {"all", "avx2", "baseline"}) measure(instructions, bytes, rounds);
  return 0;
}
