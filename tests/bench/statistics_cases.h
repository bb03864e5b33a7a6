// What statistics_bench and statistics_goals measure: tensors of every layout in more memory than a cache holds, and the rate at
// which this machine reads that memory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/statistics/statistics.h"
#include "tests/bench/timing.h"
#include "tests/core/statistics/slow_reference.h"

namespace dlscope::bench {

using namespace dlscope::core;

// Reading alone: eight independent sums of whole words, which the compiler makes vectors of.
inline std::uint64_t read_all(const std::byte* from, std::size_t bytes) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
    std::uint64_t words[8];
    std::memcpy(words, from + i, sizeof words);
    for (std::size_t k = 0; k < 8; ++k) sums[k] += words[k];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

inline volatile std::uint64_t sink;

// Seconds of the clock, or of all processors (cpu_seconds), which other programs' load lengthens less.
using Clock = double (*)(const std::function<void()>& work);

inline double read_seconds(const std::vector<std::byte>& memory, unsigned threads, Clock clock = seconds) {
  return clock([&] {
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
inline void fill(std::vector<std::byte>& memory, DType dtype) {
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

inline void check_or_leave(const Case& one, const std::vector<std::byte>& memory) {
  // A corner of every layout, by the slow reference.
  Layout corner = one.layout;
  for (std::int64_t& n : corner.shape) n = std::min<std::int64_t>(n, corner.shape.size() == 1 ? 100'000 : 300);
  const std::byte* const data = memory.data() + one.offset;
  StatisticsOptions options;
  options.histogram = one.histogram;
  const auto got = exact_statistics({one.dtype, corner, reinterpret_cast<Address>(data), ElementSource::held_memory()}, options);
  const std::string wrong =
      got ? core::test::difference(got->summary, core::test::slow_statistics(one.dtype, corner, data)) : got.error().message;
  if (wrong.empty()) return;
  fmt::print("{}: {}\n", one.name, wrong);
  std::exit(1);
}

// The whole memory, in order.
inline Case dense_case(const char* dtype, std::int64_t bytes, bool histogram = false) {
  const DType type = *dtype_from_name(dtype);
  return {std::string(dtype) + (histogram ? " with histogram" : ""), type, Layout::c_order({bytes * 8 / type.bits}, type.bits), 0,
          histogram};
}

// float32 values out of order.
inline std::vector<Case> strided_cases(std::int64_t bytes) {
  const DType f32 = *dtype_from_name("float32");
  const auto side =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(bytes / 4)))));
  const double square = static_cast<double>(side * side * 4) / static_cast<double>(bytes);
  return {{"float32 transposed", f32, Layout::from_element_strides({side, side}, {1, side}, 32), 0, false, square},
          {"float32 reversed", f32, Layout::from_element_strides({bytes / 4}, {-1}, 32), static_cast<std::uint64_t>(bytes - 4)},
          {"float32 permuted (2, 0, 1)", f32, Layout::from_element_strides({64, side / 64, side}, {1, 64 * side, 64}, 32), 0,
           false, square},
          {"float32 every 7th", f32, Layout::from_element_strides({bytes / 28}, {7}, 32)}};
}

}  // namespace dlscope::bench
