// Compiled once for every instruction set of HWY_TARGETS, as core/statistics/block_kernels.cpp is.
//
// A value is a number of 32-bit words, narrower ones filled up with zeros. Each word gives (word + a) * b, a 64-bit product, where a and
// b come from the index (its low half mixed, its high half and the word's number as a seed). The products are added up: what NH, the
// hash inside UMAC, does with random keys.
#include "core/compare/content_hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compare/content_hash.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#ifndef DLSCOPE_CONTENT_HASH_ONCE
#define DLSCOPE_CONTENT_HASH_ONCE
namespace dlscope::core {
namespace {

constexpr std::uint32_t kIndexFactor = 0x9E3779B1, kMixFactor = 0x85EBCA77, kOther = 0x27D4EB2F;
constexpr std::size_t kMostVectorWords = 4;  // of a value
// Values whose indices have one high half; seeds: of each word.
struct HashRun {
  const std::byte* values;
  std::uint64_t count;
  std::uint32_t low, step;  // low half of the first index; modulo 2^32
  std::array<std::uint32_t, kMostVectorWords> seeds;
};
struct HashLoops {
  // By log2 of the bytes of a value, 1 ... 16: how many of the run's values were taken, and their sum.
  std::array<std::uint64_t (*)(const HashRun& run, std::uint64_t& taken), 5> by_bytes;
};

}  // namespace
}  // namespace dlscope::core
#endif

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Part: what is loaded of a value: the value itself, or a word of it.
template <class Part, std::size_t Words>
std::uint64_t hash_run(const HashRun& run, std::uint64_t& taken) {
  using D = hn::ScalableTag<std::uint32_t>;
  using D64 = hn::ScalableTag<std::uint64_t>;
  const D d;
  const D64 d64;
  const std::size_t lanes = hn::Lanes(d), values = lanes / Words;
  HWY_ALIGN std::uint32_t lows[64], seeds[64];
  for (std::size_t i = 0; i < lanes; ++i) {
    lows[i] = run.low + run.step * static_cast<std::uint32_t>(i / Words);
    seeds[i] = run.seeds[i % Words];
  }
  auto low = hn::Load(d, lows);
  const auto seed = hn::Load(d, seeds);
  const auto advance = hn::Set(d, run.step * static_cast<std::uint32_t>(values));
  const auto index_factor = hn::Set(d, kIndexFactor), mix_factor = hn::Set(d, kMixFactor), other = hn::Set(d, kOther);
  const auto one = hn::Set(d, 1);
  auto even = hn::Zero(d64), odd = hn::Zero(d64);
  std::uint64_t at = 0;
  for (; at + values <= run.count; at += values) {
    auto a = hn::Add(hn::Mul(low, index_factor), seed);
    a = hn::Xor(a, hn::ShiftRight<15>(a));
    a = hn::Mul(a, mix_factor);
    a = hn::Xor(a, hn::ShiftRight<13>(a));
    const auto b = hn::Or(hn::Xor(hn::RotateRight<16>(a), other), one);
    const auto* const from = reinterpret_cast<const Part*>(run.values + at * Words * sizeof(Part));
    const auto word = [&] {
      if constexpr (sizeof(Part) == 4) {
        return hn::LoadU(d, from);
      } else {
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Part, D>(), from));
      }
    }();
    const auto sum = hn::Add(word, a);
    even = hn::Add(even, hn::MulEven(sum, b));
    odd = hn::Add(odd, hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, sum))),
                                   hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, b)))));
    low = hn::Add(low, advance);
  }
  taken = at;
  HWY_ALIGN std::uint64_t sums[32];
  hn::Store(hn::Add(even, odd), d64, sums);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < hn::Lanes(d64); ++i) total += sums[i];
  return total;
}

}  // namespace

extern const HashLoops kHashLoops;
const HashLoops kHashLoops{{hash_run<std::uint8_t, 1>, hash_run<std::uint16_t, 1>, hash_run<std::uint32_t, 1>,
                            hash_run<std::uint32_t, 2>, hash_run<std::uint32_t, 4>}};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dlscope::core {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

std::uint32_t seed_of(std::uint64_t index, std::size_t word) {
  return static_cast<std::uint32_t>(mixed((index >> 32) + (std::uint64_t{word} << 40) + 1));
}

std::uint64_t hash_of_word(std::uint32_t word, std::uint32_t low, std::uint32_t seed) {
  std::uint32_t a = low * kIndexFactor + seed;
  a ^= a >> 15;
  a *= kMixFactor;
  a ^= a >> 13;
  const std::uint32_t b = ((a >> 16 | a << 16) ^ kOther) | 1;
  return std::uint64_t{word + a} * b;
}

const HashLoops* find_loops() {
#if HWY_ARCH_X86
  __builtin_cpu_init();
#if HWY_TARGETS & HWY_AVX2
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  if (avx2) return &N_AVX2::kHashLoops;
#endif
  return nullptr;
#else
  return &HWY_STATIC_NAMESPACE::kHashLoops;
#endif
}

// Values from the front until the low half of the index wraps.
std::uint64_t values_before_wrap(std::uint64_t index, std::int64_t step) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  const std::uint64_t low = index % kHalf;
  if (step == 0) return ~std::uint64_t{0};
  const std::uint64_t room = step > 0 ? kHalf - 1 - low : low;
  return room / static_cast<std::uint64_t>(step > 0 ? step : -step) + 1;
}

}  // namespace

std::uint64_t plain_hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count, std::uint64_t index,
                                   std::int64_t step) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i, values += value_bytes, index += static_cast<std::uint64_t>(step)) {
    for (std::size_t at = 0, number = 0; at < value_bytes; at += 4, ++number) {
      std::uint32_t word = 0;
      std::memcpy(&word, values + at, std::min<std::size_t>(4, value_bytes - at));
      sum += hash_of_word(word, static_cast<std::uint32_t>(index), seed_of(index, number));
    }
  }
  return sum;
}

std::uint64_t hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count, std::uint64_t index,
                             std::int64_t step) {
  static const HashLoops* const loops = find_loops();
  constexpr std::array<std::size_t, 5> kSizes{1, 2, 4, 8, 16};
  const auto size = std::ranges::find(kSizes, value_bytes);
  if (loops == nullptr || size == kSizes.end()) return plain_hash_of_values(values, value_bytes, count, index, step);
  std::uint64_t sum = 0;
  while (count > 0) {
    const std::uint64_t run = std::min(count, values_before_wrap(index, step));
    std::uint64_t taken = 0;
    HashRun part{values, run, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(step), {}};
    for (std::size_t word = 0; word < part.seeds.size(); ++word) part.seeds[word] = seed_of(index, word);
    sum += loops->by_bytes[static_cast<std::size_t>(size - kSizes.begin())](part, taken);
    sum += plain_hash_of_values(values + taken * value_bytes, value_bytes, run - taken,
                                index + taken * static_cast<std::uint64_t>(step), step);
    values += run * value_bytes;
    index += run * static_cast<std::uint64_t>(step);
    count -= run;
  }
  return sum;
}

std::uint64_t content_hash(std::uint64_t sum, DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t hash = mixed(sum ^ (std::uint64_t{dtype.code} << 32 | std::uint64_t{dtype.bits} << 16 | dtype.lanes));
  for (const std::int64_t n : shape) hash = mixed(hash + static_cast<std::uint64_t>(n) + 0x9E3779B97F4A7C15);
  return mixed(hash + shape.size());
}

}  // namespace dlscope::core
#endif
