// Compiled once for every instruction set of HWY_TARGETS, as core/statistics/block_kernels.cpp is.
#include "core/search/search_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/search/search_kernels.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// WordRanges in the lanes of a vector.
template <class Word, bool kTwo>
struct Sought {
  using D = hn::ScalableTag<Word>;
  using V = hn::Vec<D>;
  V mask, low0, span0, low1, span1;

  HWY_INLINE explicit Sought(const WordRanges& ranges)
      : mask(hn::Set(D(), static_cast<Word>(ranges.mask))),
        low0(hn::Set(D(), static_cast<Word>(ranges.low[0]))),
        span0(hn::Set(D(), static_cast<Word>(ranges.span[0]))),
        low1(hn::Set(D(), static_cast<Word>(ranges.low[1]))),
        span1(hn::Set(D(), static_cast<Word>(ranges.span[1]))) {}

  HWY_INLINE hn::Mask<D> misses(V words) const {
    const V w = hn::And(words, mask);
    const auto first = hn::Lt(span0, hn::Sub(w, low0));
    return kTwo ? hn::And(first, hn::Lt(span1, hn::Sub(w, low1))) : first;
  }
};

template <class Word>
HWY_INLINE std::uint64_t word_at(const std::byte* from) {
  Word word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

// Four vectors at a time, which are counted only if one of their values matches. misses(at): which values of the vector that begins with
// this one do not match.
template <class D, class Misses, class Hit>
HWY_INLINE std::uint64_t count_values(D d, std::uint64_t count, const Misses& misses, const Hit& hit) {
  const std::size_t lanes = hn::Lanes(d);
  std::uint64_t found = 0, at = 0;
  for (; at + 4 * lanes <= count; at += 4 * lanes) {
    const auto first = misses(at), second = misses(at + lanes), third = misses(at + 2 * lanes), fourth = misses(at + 3 * lanes);
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(hn::And(first, second), hn::And(third, fourth))))) continue;
    found += 4 * lanes - hn::CountTrue(d, first) - hn::CountTrue(d, second) - hn::CountTrue(d, third) - hn::CountTrue(d, fourth);
  }
  for (; at < count; ++at) found += hit(at) ? 1 : 0;
  return found;
}

template <class Word, bool kTwo>
std::uint64_t count_words(const std::byte* words, std::uint64_t count, const WordRanges& ranges) {
  using S = Sought<Word, kTwo>;
  const typename S::D d;
  const S sought(ranges);
  const auto misses = [&](std::uint64_t at) HWY_ATTR {
    return sought.misses(hn::LoadU(d, reinterpret_cast<const Word*>(words + at * sizeof(Word))));
  };
  const auto hit = [&](std::uint64_t at) HWY_ATTR { return ranges.has(word_at<Word>(words + at * sizeof(Word))); };
  return count_values(d, count, misses, hit);
}

template <class Word>
std::uint64_t words(const std::byte* from, std::uint64_t count, const WordRanges& ranges) {
  const bool two = ranges.low[0] != ranges.low[1] || ranges.span[0] != ranges.span[1];
  return two ? count_words<Word, true>(from, count, ranges) : count_words<Word, false>(from, count, ranges);
}

template <class Word>
std::uint64_t either(const std::byte* from, std::uint64_t count, const WordRanges& ranges) {
  using S = Sought<Word, true>;
  constexpr std::size_t kBytes = 2 * sizeof(Word);
  const typename S::D d;
  const S sought(ranges);
  const auto misses = [&](std::uint64_t at) HWY_ATTR {
    typename S::V first, second;
    hn::LoadInterleaved2(d, reinterpret_cast<const Word*>(from + at * kBytes), first, second);
    return hn::And(sought.misses(first), sought.misses(second));
  };
  const auto hit = [&](std::uint64_t at) HWY_ATTR {
    return ranges.has(word_at<Word>(from + at * kBytes)) || ranges.has(word_at<Word>(from + at * kBytes + sizeof(Word)));
  };
  return count_values(d, count, misses, hit);
}

template <class Word>
std::uint64_t both(const std::byte* from, std::uint64_t count, const std::array<WordRanges, 2>& ranges) {
  using S = Sought<Word, true>;
  constexpr std::size_t kBytes = 2 * sizeof(Word);
  const typename S::D d;
  const S of_first(ranges[0]), of_second(ranges[1]);
  const auto misses = [&](std::uint64_t at) HWY_ATTR {
    typename S::V first, second;
    hn::LoadInterleaved2(d, reinterpret_cast<const Word*>(from + at * kBytes), first, second);
    return hn::Or(of_first.misses(first), of_second.misses(second));
  };
  const auto hit = [&](std::uint64_t at) HWY_ATTR {
    return ranges[0].has(word_at<Word>(from + at * kBytes)) && ranges[1].has(word_at<Word>(from + at * kBytes + sizeof(Word)));
  };
  return count_values(d, count, misses, hit);
}

}  // namespace

extern const SearchKernels kSearchKernels;
const SearchKernels kSearchKernels{
    {words<std::uint8_t>, words<std::uint16_t>, words<std::uint32_t>, words<std::uint64_t>},
    {either<std::uint16_t>, either<std::uint32_t>, either<std::uint64_t>},
    {both<std::uint16_t>, both<std::uint32_t>, both<std::uint64_t>},
};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const SearchKernels* const> all_search_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(SearchKernels, kSearchKernels);
  return targets.all();
}

const SearchKernels& search_kernels() {
  static const SearchKernels& best = *all_search_kernels().back();
  return best;
}

}  // namespace dlscope::core
#endif
