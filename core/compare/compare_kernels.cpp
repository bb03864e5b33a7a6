// Compiled once for every instruction set of HWY_TARGETS, as core/statistics/block_kernels.cpp is.
#include "core/compare/compare_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compare/compare_kernels.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "core/compare/difference_loops-inl.h"
#include "core/compare/number_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<std::uint32_t>;
using D64 = hn::ScalableTag<std::uint64_t>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

// `mixed`: the number times kNumberFactor, and the seed.
HWY_INLINE V32 factor_of(V32 mixed) {
  const D32 d;
  mixed = hn::Xor(mixed, hn::ShiftRight<15>(mixed));
  mixed = hn::Mul(mixed, hn::Set(d, kMixFactor));
  mixed = hn::Xor(mixed, hn::ShiftRight<13>(mixed));
  return hn::Or(mixed, hn::Set(d, 1));
}

HWY_INLINE V32 odd_lanes(V32 v) { return hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(D64(), v))); }

HWY_INLINE void add_products(V32 words, V32 factors, V64& even, V64& odd) {
  even = hn::Add(even, hn::MulEven(words, factors));
  odd = hn::Add(odd, hn::MulEven(odd_lanes(words), odd_lanes(factors)));
}

HWY_INLINE std::uint64_t sum_of(V64 v) {
  HWY_ALIGN std::uint64_t sums[64];
  hn::Store(v, D64(), sums);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < hn::Lanes(D64()); ++i) total += sums[i];
  return total;
}

template <std::size_t Words>
HWY_INLINE V32 first_mixed(const HashedWords& run) {
  HWY_ALIGN std::uint32_t first[64];
  for (std::size_t i = 0; i < hn::Lanes(D32()); ++i)
    first[i] = (run.number + run.step * static_cast<std::uint32_t>(i / Words)) * kNumberFactor + run.seeds[i % Words];
  return hn::Load(D32(), first);
}

HWY_INLINE V32 advance_by(const HashedWords& run, std::size_t values) {
  return hn::Set(D32(), run.step * static_cast<std::uint32_t>(values) * kNumberFactor);
}

template <std::size_t Words>
std::uint64_t hash_words(const HashedWords& run, std::uint64_t& taken) {
  const D32 d;
  const std::size_t lanes = hn::Lanes(d), each = lanes / Words;
  V32 mixed = first_mixed<Words>(run);
  const V32 advance = advance_by(run, each);
  V64 even = hn::Zero(D64()), odd = hn::Zero(D64());
  const auto* from = reinterpret_cast<const std::uint32_t*>(run.words);
  std::uint64_t at = 0;
  for (; at + each <= run.values; at += each, from += lanes) {
    add_products(hn::LoadU(d, from), factor_of(mixed), even, odd);
    mixed = hn::Add(mixed, advance);
  }
  taken = at;
  return sum_of(hn::Add(even, odd));
}

// Pattern: of a part that may be NaN; of bool where none may.
template <std::size_t Words, class Pattern>
void equal_words(const HashedWords& run, EqualWords& found) {
  constexpr bool kHasNan = !std::is_same_v<Pattern, bool>;
  using Part = std::conditional_t<kHasNan, Pattern, std::uint32_t>;
  const D32 d;
  const hn::ScalableTag<Part> parts;
  const std::size_t lanes = hn::Lanes(d), each = lanes / Words;
  const auto mask = hn::Set(parts, static_cast<Part>(found.nan.mask)), low = hn::Set(parts, static_cast<Part>(found.nan.low));
  const auto span = hn::Set(parts, static_cast<Part>(found.nan.span));
  V32 mixed = first_mixed<Words>(run), apart = hn::Zero(d);
  const V32 advance = advance_by(run, each);
  V64 even = hn::Zero(D64()), odd = hn::Zero(D64());
  const auto* const a = reinterpret_cast<const std::uint32_t*>(run.words);
  const auto* const b = reinterpret_cast<const std::uint32_t*>(found.b);
  std::uint64_t vectors = 0;
  for (; (vectors + 1) * each <= run.values; ++vectors) {
    const V32 words = hn::LoadU(d, a + vectors * lanes);
    apart = hn::Or(apart, hn::Xor(words, hn::LoadU(d, b + vectors * lanes)));
    add_products(words, factor_of(mixed), even, odd);
    mixed = hn::Add(mixed, advance);
    if constexpr (kHasNan) {
      const auto number = hn::Lt(span, hn::Sub(hn::And(hn::BitCast(parts, words), mask), low));
      if (HWY_UNLIKELY(!hn::AllTrue(parts, number))) found.nans += hn::Lanes(parts) - hn::CountTrue(parts, number);
    }
  }
  found.taken = vectors * each;
  found.hash = sum_of(hn::Add(even, odd));
  found.equal = hn::AllTrue(d, hn::Eq(apart, hn::Zero(d)));
}

template <class Part>
std::uint64_t hash_parts(const HashedParts& run, std::uint64_t& taken) {
  constexpr int kLog = sizeof(Part) == 1 ? 2 : 1;  // of the values in a word
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::uint32_t first[64];
  for (std::size_t i = 0; i < lanes; ++i) first[i] = run.index + run.step * static_cast<std::uint32_t>(i);
  V32 index = hn::Load(d, first);
  const V32 advance = hn::Set(d, run.step * static_cast<std::uint32_t>(lanes)), seed = hn::Set(d, run.seed);
  const V32 number_factor = hn::Set(d, kNumberFactor), in_word = hn::Set(d, (1U << kLog) - 1);
  V64 even = hn::Zero(D64()), odd = hn::Zero(D64());
  const auto* const from = reinterpret_cast<const Part*>(run.values);
  std::uint64_t at = 0;
  for (; at + lanes <= run.count; at += lanes) {
    const V32 shift = hn::ShiftLeft < sizeof(Part) == 1 ? 3 : 4 > (hn::And(index, in_word));
    const V32 word = hn::Shl(hn::PromoteTo(d, hn::LoadU(hn::Rebind<Part, D32>(), from + at)), shift);
    add_products(word, factor_of(hn::Add(hn::Mul(hn::ShiftRight<kLog>(index), number_factor), seed)), even, odd);
    index = hn::Add(index, advance);
  }
  taken = at;
  return sum_of(hn::Add(even, odd));
}

template <class Word>
std::uint64_t count_patterns(const std::byte* patterns, std::uint64_t count, PatternRange range) {
  const hn::ScalableTag<Word> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto mask = hn::Set(d, static_cast<Word>(range.mask)), low = hn::Set(d, static_cast<Word>(range.low));
  const auto span = hn::Set(d, static_cast<Word>(range.span));
  const auto* const from = reinterpret_cast<const Word*>(patterns);
  std::uint64_t found = 0, at = 0;
  for (; at + lanes <= count; at += lanes)
    found += lanes - hn::CountTrue(d, hn::Lt(span, hn::Sub(hn::And(hn::LoadU(d, from + at), mask), low)));
  for (; at < count; ++at) {
    Word word;
    __builtin_memcpy(&word, patterns + at * sizeof(Word), sizeof(Word));
    found += static_cast<Word>((word & range.mask) - range.low) <= static_cast<Word>(range.span) ? 1 : 0;
  }
  return found;
}

}  // namespace

extern const CompareKernels kCompareKernels;
const CompareKernels kCompareKernels{
    {hash_words<1>, hash_words<2>, hash_words<4>},
    {hash_parts<std::uint8_t>, hash_parts<std::uint16_t>},
    {{{equal_words<1, std::uint8_t>, equal_words<1, std::uint16_t>, equal_words<1, std::uint32_t>, nullptr, equal_words<1, bool>},
      {nullptr, nullptr, equal_words<2, std::uint32_t>, equal_words<2, std::uint64_t>, equal_words<2, bool>},
      {nullptr, nullptr, nullptr, equal_words<4, std::uint64_t>, equal_words<4, bool>}}},
    {count_patterns<std::uint8_t>, count_patterns<std::uint16_t>, count_patterns<std::uint32_t>, count_patterns<std::uint64_t>},
    {count_different<std::uint8_t>, count_different<std::uint16_t>, count_different<std::uint32_t>,
     count_different<std::uint64_t>, count_different_pairs},
    {{{nullptr, most_steps<std::uint16_t, 1>, most_steps<std::uint32_t, 1>, most_steps<std::uint64_t, 1>},
      {nullptr, most_steps<std::uint16_t, 2>, most_steps<std::uint32_t, 2>, most_steps<std::uint64_t, 2>}}},
    {number_differences<1>, number_differences<2>},
    {integer_differences<std::int64_t>, integer_differences<std::uint64_t>},
};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const CompareKernels* const> all_compare_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(CompareKernels, kCompareKernels);
  return targets.all();
}

const CompareKernels& compare_kernels() {
  static const CompareKernels& best = *all_compare_kernels().back();
  return best;
}

}  // namespace dlscope::core
#endif
