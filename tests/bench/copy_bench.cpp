// Strided copies of 40 fixed layouts beside memcpy of as many bytes, in the same run and on one thread. Every result is checked
// against a copy element by element before it is timed. Rounds alternate; a ratio is the median of each round's own.
//   copy_bench [MIB=32] [ROUNDS=7] [NAME]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/transfer/copy_kernels.h"
#include "core/transfer/strided_copy.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::median;

// Time of this thread alone: the machine may be busy.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Case {
  std::string name;
  std::uint32_t bits = 32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // of the source, in elements
};

// Shapes are scaled so that the copy is of about `bytes`.
std::vector<Case> cases(std::int64_t bytes) {
  std::vector<Case> all;
  const auto side = [&](std::int64_t item) {
    std::int64_t n = 1;
    while (n * n * 4 * item <= bytes) n *= 2;
    return n;
  };
  const auto count = [&](std::int64_t item) { return bytes / item; };
  const auto add = [&](std::string name, std::uint32_t bits, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    all.push_back({std::move(name), bits, std::move(shape), std::move(strides)});
  };
  add("contiguous f32", 32, {count(4)}, {1});
  add("contiguous u8", 8, {count(1)}, {1});
  for (const std::uint32_t bits : {8u, 16u, 32u, 64u, 128u}) {
    const std::int64_t n = side(bits / 8);
    add(fmt::format("transpose {} bits, power of two", bits), bits, {n, n}, {1, n});
    add(fmt::format("transpose {} bits, odd", bits), bits, {n - 3, n + 5}, {1, n - 3});
  }
  for (const std::uint32_t bits : {8u, 16u, 32u, 64u}) {
    const std::int64_t n = side(bits / 8);
    add(fmt::format("reversed {} bits", bits), bits, {count(bits / 8)}, {-1});
    add(fmt::format("rows reversed {} bits", bits), bits, {n, n}, {n, -1});
  }
  add("rows upside down f32", 32, {side(4), side(4)}, {-side(4), 1});
  add("transpose of rows reversed f32", 32, {side(4), side(4)}, {-1, side(4)});
  const std::int64_t hw = side(1) / 4;
  add("HWC3 to CHW u8", 8, {3, hw * 4, hw}, {1, hw * 3, 3});
  add("CHW to HWC3 u8", 8, {hw * 4, hw, 3}, {hw, 1, hw * hw * 4});
  add("HWC4 to CHW u8", 8, {4, hw * 4, hw}, {1, hw * 4, 4});
  add("NCHW to NHWC f32, 64 channels", 32, {count(4) / (64 * 56 * 56), 56, 56, 64}, {64 * 56 * 56, 56, 1, 56 * 56});
  add("NHWC to NCHW f32, 64 channels", 32, {count(4) / (64 * 56 * 56), 64, 56, 56}, {64 * 56 * 56, 1, 56 * 64, 64});
  add("NCHW to NHWC f32, 3 channels", 32, {count(4) / (3 * 224 * 224), 224, 224, 3}, {3 * 224 * 224, 224, 1, 224 * 224});
  add("heads: (b, s, h, d) to (b, h, s, d) f16", 16, {count(2) / (16 * 512 * 64), 16, 512, 64}, {16 * 512 * 64, 64, 16 * 64, 1});
  add("batch of 64 x 64 transposes f32", 32, {count(4) / 4096, 64, 64}, {4096, 1, 64});
  add("6-D reversal f32", 32, {14, 14, 14, 14, 14, 14}, {1, 14, 196, 2744, 38416, 537824});
  add("5-D permutation f64", 64, {18, 20, 22, 16, 24}, {16 * 24, 24 * 16 * 18, 1, 22 * 0 + 24 * 16 * 18 * 20, 16});
  add("3-D (2, 0, 1) f32", 32, {200, 180, 190}, {1, 190 * 200, 200});
  add("3-D (1, 2, 0) u16", 16, {200, 180, 340}, {180, 1, 180 * 200});
  add("every 2nd f32", 32, {count(4)}, {2});
  add("every 2nd u8", 8, {count(1)}, {2});
  add("every 3rd f32", 32, {count(4) / 2}, {3});
  add("row crop, 64 of 512 f32", 32, {count(4) / 64, 64}, {512, 1});
  add("row crop, 5 of 8 f32", 32, {count(4) / 5, 5}, {8, 1});
  add("broadcast row f32", 32, {side(4), side(4)}, {0, 1});
  add("broadcast column f32", 32, {side(4), side(4)}, {1, 0});
  add("24-bit items transposed", 24, {side(3), side(3)}, {1, side(3)});
  return all;
}

using Bytes = std::unique_ptr<std::byte, decltype(&std::free)>;
Bytes memory(std::size_t bytes) {
  auto* const made = static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 8191) / 4096 * 4096));
  std::memset(made, 1, bytes);
  return {made, &std::free};
}

bool is_copy(const std::byte* from, LayoutView source, const std::byte* to, std::uint64_t elements) {
  const std::size_t item = source.item_bits / 8;
  const std::uint64_t step = std::max<std::uint64_t>(elements / 300'000, 1);  // not every one: a million divisions each
  for (std::uint64_t i = 0; i < elements; i += step) {
    if (std::memcmp(to + i * item, from + bit_offset_of(source, i) / 8, item) != 0) return false;
  }
  return true;
}

double ratio_of(const Case& one, int rounds) {
  const Layout source = Layout::from_element_strides(one.shape, one.strides, one.bits);
  const Layout target = Layout::c_order(one.shape, one.bits);
  const LayoutBounds bounds = validate(source).value();
  const std::size_t bytes = static_cast<std::size_t>(validate(target)->highest_bit / 8);
  const auto low = static_cast<std::size_t>(-bounds.lowest_bit / 8), high = static_cast<std::size_t>(bounds.highest_bit / 8);
  const Bytes from = memory(std::max(low + high, bytes)), to = memory(bytes);
  std::uint32_t seed = 1;
  for (std::size_t i = 0; i < low + high; ++i) from.get()[i] = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  const std::byte* const start = from.get() + low;
  const auto ours = [&] { (void)copy_strided(start, source, to.get(), target); };
  ours();
  if (!is_copy(start, source, to.get(), validate(target)->elements)) {
    fmt::print("{}: WRONG\n", one.name);
    std::exit(1);
  }
  std::vector<double> ratios;
  double best = 1e9, best_memcpy = 1e9;
  for (int i = 0; i < rounds; ++i) {
    double began = now();
    std::memcpy(to.get(), from.get(), bytes);
    const double plain = now() - began;
    began = now();
    ours();
    const double strided = now() - began;
    ratios.push_back(strided / plain);
    best = std::min(best, strided);
    best_memcpy = std::min(best_memcpy, plain);
  }
  const double ratio = median(ratios);
  fmt::print("{:<42} {:6.2f} x memcpy (best of each {:5.2f}), {:5.1f} GB/s\n", one.name, ratio, best / best_memcpy,
             static_cast<double>(bytes) / best * 1e-9);
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 32) << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  double logs = 0, worst = 0;
  int count = 0;
  for (const Case& one : cases(bytes)) {
    if (argc > 3 && one.name.find(argv[3]) == std::string::npos) continue;
    const double ratio = ratio_of(one, rounds);
    logs += std::log(ratio);
    worst = std::max(worst, ratio);
    ++count;
  }
  fmt::print("{} layouts, {} inner loops: geometric mean {:.2f} x memcpy, worst {:.2f} x\n", count, copy_kernels().name,
             std::exp(logs / count), worst);
}
