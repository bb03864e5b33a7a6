// Conversions beside memcpy, in the same run and on one thread: contiguous ones in the cache and in memory, one by one and with
// the loops of this machine, and such that are part of a strided copy. A ratio is to a memcpy that reads and writes as many
// bytes in all. Every result is compared with the conversion one by one before it is timed. Rounds alternate; the least of each.
//   convert_bench [MELEMENTS=16] [ROUNDS=9] [NAME]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "core/transfer/convert.h"
#include "core/transfer/convert_kernels.h"
#include "core/transfer/copy_in_parts.h"
#include "core/transfer/strided_copy.h"

namespace {

using namespace dlscope::core;

using Clock = double (*)();
template <clockid_t clock>
double now() {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
constexpr Clock kThreadTime = now<CLOCK_THREAD_CPUTIME_ID>;  // the machine may be busy
constexpr Clock kProcessTime = now<CLOCK_PROCESS_CPUTIME_ID>;

// The least time of each, the works taking turns.
std::vector<double> least(Clock clock, int rounds, const std::vector<std::function<void()>>& works) {
  std::vector<double> best(works.size(), 1e9);
  for (int i = 0; i <= rounds; ++i) {  // the first round only warms up
    for (std::size_t w = 0; w < works.size(); ++w) {
      const double began = clock();
      works[w]();
      if (i > 0) best[w] = std::min(best[w], clock() - began);
    }
  }
  return best;
}

constexpr DType dtype(DTypeCode code, std::uint8_t bits) { return {static_cast<std::uint8_t>(code), bits, 1}; }
constexpr DType kFloat16 = dtype(DTypeCode::float_, 16), kFloat32 = dtype(DTypeCode::float_, 32);
constexpr DType kFloat64 = dtype(DTypeCode::float_, 64), kBfloat16 = dtype(DTypeCode::bfloat, 16);
constexpr DType kE4m3 = dtype(DTypeCode::float8_e4m3fn, 8), kE5m2 = dtype(DTypeCode::float8_e5m2, 8);

struct Pair {
  DType from, to;
};
const std::vector<Pair> kPairs{{kFloat16, kFloat32},
                               {kBfloat16, kFloat32},
                               {kE4m3, kFloat32},
                               {kE5m2, kFloat32},
                               {dtype(DTypeCode::float8_e4m3fnuz, 8), kFloat32},
                               {kFloat32, kFloat16},
                               {kFloat32, kBfloat16},
                               {kFloat32, kE4m3},
                               {kFloat16, kBfloat16},
                               {kE4m3, kFloat16},
                               {dtype(DTypeCode::bool_, 8), kFloat32},
                               {dtype(DTypeCode::uint, 8), kFloat32},
                               {dtype(DTypeCode::int_, 32), kFloat32},
                               {dtype(DTypeCode::int_, 64), kFloat32},
                               {kFloat32, kFloat64},
                               {kFloat64, kFloat32},
                               {kFloat64, kFloat16},
                               {kFloat64, kE4m3},
                               {dtype(DTypeCode::int_, 64), kBfloat16},
                               {kFloat32, dtype(DTypeCode::uint, 8)},
                               {kFloat32, dtype(DTypeCode::int_, 32)},
                               {kFloat32, dtype(DTypeCode::int_, 64)},
                               {kFloat64, dtype(DTypeCode::int_, 16)},
                               {kFloat16, dtype(DTypeCode::int_, 8)},
                               {dtype(DTypeCode::int_, 64), dtype(DTypeCode::int_, 32)},
                               {dtype(DTypeCode::int_, 32), dtype(DTypeCode::uint, 8)},
                               {kFloat32, dtype(DTypeCode::bool_, 8)},
                               {kFloat32, dtype(DTypeCode::complex, 64)},
                               {dtype(DTypeCode::int_, 16), dtype(DTypeCode::complex, 128)},
                               {dtype(DTypeCode::int_, 4), kFloat32},
                               {dtype(DTypeCode::float4_e2m1fn, 4), kFloat32},
                               {kFloat32, dtype(DTypeCode::float4_e2m1fn, 4)},
                               {dtype(DTypeCode::float6_e3m2fn, 6), kFloat32},
                               {kFloat32, dtype(DTypeCode::float6_e3m2fn, 6)}};

std::vector<std::byte> noise(std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  std::uint32_t seed = 1;
  for (std::byte& byte : made) byte = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  return made;
}

void require(bool right, const std::string& what) {
  if (right) return;
  fmt::print("{}: WRONG\n", what);
  std::exit(1);
}

std::string wanted_name;  // part of the name of what is measured

std::string name_of(const Pair& pair) { return fmt::format("{} to {}", dtype_name(pair.from), dtype_name(pair.to)); }

void contiguous(const Pair& pair, std::size_t count, int rounds, int repeats) {
  if (!name_of(pair).contains(wanted_name)) return;
  const std::size_t from_bytes = count * pair.from.bits / 8, to_bytes = count * pair.to.bits / 8;
  const std::size_t half = (from_bytes + to_bytes) / 2;
  const std::vector<std::byte> source = noise(from_bytes), plain = noise(half);
  std::vector<std::byte> made(to_bytes), expected(to_bytes), copied(half);
  convert_one_by_one(pair.from, source.data(), pair.to, expected.data(), count);
  convert_elements(pair.from, source.data(), pair.to, made.data(), count);
  require(made == expected, name_of(pair));
  const auto repeated = [&](auto work) {
    return [=] {
      for (int i = 0; i < repeats; ++i) work();
    };
  };
  const auto best = least(kThreadTime, rounds,
                          {repeated([&] { std::memcpy(copied.data(), plain.data(), half); }),
                           repeated([&] { convert_one_by_one(pair.from, source.data(), pair.to, expected.data(), count); }),
                           repeated([&] { convert_elements(pair.from, source.data(), pair.to, made.data(), count); })});
  const double elements = static_cast<double>(count) * repeats * 1e-9;
  fmt::print("  {:<28} {:6.2f} G/s, {:5.2f} x memcpy; one by one {:5.2f} G/s, {:6.2f} x\n", name_of(pair), elements / best[2],
             best[2] / best[0], elements / best[1], best[1] / best[0]);
}

struct Strided {
  std::string name;
  std::vector<std::int64_t> shape, strides;  // strides of the source, in elements
};

// As a task makes it: in parts, and with threads, whose times are added up.
void strided(const Strided& one, const Pair& pair, int rounds) {
  const std::string name = fmt::format("{}, {}", one.name, name_of(pair));
  if (!name.contains(wanted_name)) return;
  const Layout from = Layout::from_element_strides(one.shape, one.strides, pair.from.bits);
  const Layout gathered = Layout::c_order(one.shape, pair.from.bits), to = Layout::c_order(one.shape, pair.to.bits);
  const auto bytes = [](const Layout& layout) { return static_cast<std::size_t>(validate(layout)->highest_bit / 8); };
  const std::size_t half = (bytes(gathered) + bytes(to)) / 2;
  const std::vector<std::byte> source = noise(bytes(from)), plain = noise(half);
  std::vector<std::byte> in_order(bytes(gathered)), made(bytes(to)), expected(bytes(to)), copied(half);
  require(copy_strided(source.data(), from, in_order.data(), gathered), one.name);
  convert_one_by_one(pair.from, in_order.data(), pair.to, expected.data(), validate(to)->elements);
  const auto copy = [&] {
    const auto done =
        copy_in_parts({source.data(), from, pair.from}, {made.data(), to, pair.to}, [](auto, auto) { return true; });
    require(done && *done, one.name);
  };
  copy();
  require(made == expected, one.name);
  const auto best = least(kProcessTime, rounds, {[&] { std::memcpy(copied.data(), plain.data(), half); }, copy});
  fmt::print("  {:<46} {:6.2f} G/s, {:5.2f} x memcpy\n", name,
             static_cast<double>(validate(to)->elements) * 1e-9 / best[1], best[1] / best[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 16) << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  if (argc > 3) wanted_name = argv[3];
  fmt::print("{} inner loops; 16384 elements, in the cache:\n", convert_kernels().name);
  for (const Pair& pair : kPairs) contiguous(pair, 16384, rounds, 200);
  fmt::print("{} elements, in memory:\n", count);
  for (const Pair& pair : kPairs) contiguous(pair, count, rounds, 1);
  fmt::print("as part of a strided copy of {} elements, the threads' times added up:\n", count);
  std::int64_t side = 1;
  while (side * side * 4 <= static_cast<std::int64_t>(count)) side *= 2;
  const auto n = static_cast<std::int64_t>(count);
  for (const Pair& pair : {Pair{kFloat16, kFloat32}, Pair{kE4m3, kFloat32}, Pair{kFloat32, kBfloat16}}) {
    strided({"contiguous", {n}, {1}}, pair, rounds);
    strided({"transpose", {side, side}, {1, side}}, pair, rounds);
    strided({"every 2nd", {n / 2}, {2}}, pair, rounds);
    strided({"row crop, 64 of 512", {n / 512, 64}, {512, 1}}, pair, rounds);
    strided({"NCHW to NHWC", {n / (64 * 3136), 56, 56, 64}, {64 * 3136, 56, 1, 3136}}, pair, rounds);
  }
}
