#include "core/sharing/bit_kernels.h"

#include <bit>
#include <cstring>

#include "core/base/instruction_sets.h"

#if defined(__x86_64__)
#define DLSCOPE_HAS_AVX2 1
#define DLSCOPE_AVX2 __attribute__((target("avx2")))
#endif
#define DLSCOPE_INLINE inline __attribute__((always_inline))

namespace dlscope::core {
namespace {

constexpr unsigned kWordBits = 64;
constexpr std::size_t kLanes = 4;
// Four words at once: one AVX2 register, or two SSE2 registers.
using Words = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

DLSCOPE_INLINE Words load(const std::uint64_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof(words));
  return words;
}
DLSCOPE_INLINE void store(std::uint64_t* to, Words words) { std::memcpy(to, &words, sizeof(words)); }

// The number of set bits in each byte.
template <class Word>
DLSCOPE_INLINE Word byte_counts(Word x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

// A full adder for every bit position: the sum goes to `a`; returns the carry.
DLSCOPE_INLINE Words add_bits(Words& a, Words b, Words c) {
  const Words half = a ^ b;
  const Words carry = (a & b) | (half & c);
  a = half ^ c;
  return carry;
}

// Up to 31 sums of at most 8 fit into a byte; their total over all bytes does not, so pairs of bytes are added first.
DLSCOPE_INLINE std::uint64_t sum_of_bytes(std::uint64_t counts) {
  counts = (counts & 0x00ff00ff00ff00ffu) + ((counts >> 8) & 0x00ff00ff00ff00ffu);
  return (counts * 0x0001000100010001u) >> 48;
}

DLSCOPE_INLINE std::uint64_t sum_of_lanes(Words counts) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kLanes; ++i) sum += sum_of_bytes(counts[i]);
  return sum;
}

// Harley and Seal's counting (Warren, Hacker's Delight, 5-1; Mula, Kurz, Lemire, "Faster population counts using AVX2
// instructions"): full adders reduce four vectors to one of weight four before any bits are counted. The paper then counts by
// table look-up, which needs intrinsics; after the adders the difference is small.
template <class Word4, class Word1>
DLSCOPE_INLINE std::uint64_t count_words(std::size_t n, Word4 words_at, Word1 word_at) {
  constexpr std::size_t kStep = 4 * kLanes, kMaxSteps = 31;
  std::uint64_t count = 0;
  std::size_t i = 0;
  Words ones{}, twos{};
  while (i + kStep <= n) {
    Words fours_counted{};
    for (std::size_t step = 0; step < kMaxSteps && i + kStep <= n; ++step, i += kStep) {
      const Words two = add_bits(ones, words_at(i), words_at(i + kLanes));
      const Words two_more = add_bits(ones, words_at(i + 2 * kLanes), words_at(i + 3 * kLanes));
      fours_counted += byte_counts(add_bits(twos, two, two_more));
    }
    count += 4 * sum_of_lanes(fours_counted);
  }
  count += sum_of_lanes(byte_counts(ones)) + 2 * sum_of_lanes(byte_counts(twos));
  for (; i < n; ++i) count += sum_of_bytes(byte_counts(word_at(i)));
  return count;
}

DLSCOPE_INLINE void or_shifted_body(std::uint64_t* __restrict to, const std::uint64_t* __restrict from, std::size_t n,
                                    unsigned shift) {
  std::size_t i = 0;
  if (shift == 0) {
    for (; i + kLanes <= n; i += kLanes) store(to + i, load(to + i) | load(from + i));
    for (; i < n; ++i) to[i] |= from[i];
    return;
  }
  const std::uint64_t* __restrict below = from - 1;
  const unsigned carry = kWordBits - shift;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(to + i) | (load(from + i) << shift) | (load(below + i) >> carry));
  for (; i < n; ++i) to[i] |= (from[i] << shift) | (below[i] >> carry);
}

DLSCOPE_INLINE std::uint64_t count_bits_body(const std::uint64_t* words, std::size_t n) {
  return count_words(n, [words](std::size_t i) { return load(words + i); }, [words](std::size_t i) { return words[i]; });
}

DLSCOPE_INLINE std::uint64_t count_common_body(const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  return count_words(
      n, [a, b](std::size_t i) { return load(a + i) & load(b + i); }, [a, b](std::size_t i) { return a[i] & b[i]; });
}

// Counts the bits of a[i] AND the word of b that starts `shift` bits into b[i]; 0 < shift < 64.
DLSCOPE_INLINE std::uint64_t count_common_shifted_body(const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                                                       unsigned shift) {
  const unsigned carry = kWordBits - shift;
  return count_words(
      n, [a, b, shift, carry](std::size_t i) { return load(a + i) & ((load(b + i) >> shift) | (load(b + i + 1) << carry)); },
      [a, b, shift, carry](std::size_t i) { return a[i] & ((b[i] >> shift) | (b[i + 1] << carry)); });
}

struct Kernels {
  void (*or_shifted)(std::uint64_t*, const std::uint64_t*, std::size_t, unsigned);
  std::uint64_t (*count_bits)(const std::uint64_t*, std::size_t);
  std::uint64_t (*count_common)(const std::uint64_t*, const std::uint64_t*, std::size_t);
  std::uint64_t (*count_common_shifted)(const std::uint64_t*, const std::uint64_t*, std::size_t, unsigned);
};

constexpr Kernels kBaseline{
    .or_shifted = [](std::uint64_t* to, const std::uint64_t* from, std::size_t n,
                     unsigned shift) { or_shifted_body(to, from, n, shift); },
    .count_bits = [](const std::uint64_t* words, std::size_t n) { return count_bits_body(words, n); },
    .count_common = [](const std::uint64_t* a, const std::uint64_t* b, std::size_t n) { return count_common_body(a, b, n); },
    .count_common_shifted = [](const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                               unsigned shift) { return count_common_shifted_body(a, b, n, shift); }};

#ifdef DLSCOPE_HAS_AVX2
DLSCOPE_AVX2 void or_shifted_avx2(std::uint64_t* to, const std::uint64_t* from, std::size_t n, unsigned shift) {
  or_shifted_body(to, from, n, shift);
}
DLSCOPE_AVX2 std::uint64_t count_bits_avx2(const std::uint64_t* words, std::size_t n) { return count_bits_body(words, n); }
DLSCOPE_AVX2 std::uint64_t count_common_avx2(const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  return count_common_body(a, b, n);
}
DLSCOPE_AVX2 std::uint64_t count_common_shifted_avx2(const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                                                     unsigned shift) {
  return count_common_shifted_body(a, b, n, shift);
}
constexpr Kernels kAvx2{or_shifted_avx2, count_bits_avx2, count_common_avx2, count_common_shifted_avx2};
#endif

const Kernels& kernels() {
#ifdef DLSCOPE_HAS_AVX2
  static const bool use_avx2 = has_avx2();
  if (use_avx2) return kAvx2;
#endif
  return kBaseline;
}

// The word that starts at bit `first`. Also reads the word after it.
std::uint64_t word_from(const std::uint64_t* words, std::uint64_t first) {
  const std::uint64_t* const at = words + first / kWordBits;
  const auto shift = static_cast<unsigned>(first % kWordBits);
  return (at[0] >> shift) | ((at[1] << 1) << (kWordBits - 1 - shift));
}

std::uint64_t count_word(std::uint64_t word) { return sum_of_bytes(byte_counts(word)); }

}  // namespace

void or_shifted(std::uint64_t* to, const std::uint64_t* from, std::size_t n, unsigned shift) {
  kernels().or_shifted(to, from, n, shift);
}

std::uint64_t count_bits(std::span<const std::uint64_t> words) { return kernels().count_bits(words.data(), words.size()); }

std::uint64_t count_common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return kernels().count_common(a.data(), b.data(), a.size());
}

std::uint64_t count_common_bits(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b, std::uint64_t b_first,
                                std::uint64_t bits) {
  std::uint64_t count = 0;
  if (bits == 0) return 0;
  // First the bits up to the next whole word of a, so that the loop needs to shift only b.
  const std::uint64_t lead = (kWordBits - a_first % kWordBits) % kWordBits;
  if (lead != 0) {
    const std::uint64_t taken = lead < bits ? lead : bits;
    count += count_word(word_from(a, a_first) & word_from(b, b_first) & (~std::uint64_t{0} >> (kWordBits - taken)));
    a_first += taken;
    b_first += taken;
    bits -= taken;
  }
  const std::size_t whole = bits / kWordBits;
  const auto shift = static_cast<unsigned>(b_first % kWordBits);
  const std::uint64_t* const in_a = a + a_first / kWordBits;
  const std::uint64_t* const in_b = b + b_first / kWordBits;
  if (whole > 0) {
    count += shift == 0 ? kernels().count_common(in_a, in_b, whole) : kernels().count_common_shifted(in_a, in_b, whole, shift);
  }
  const std::uint64_t rest = bits % kWordBits;
  if (rest != 0) {
    count += count_word(in_a[whole] & word_from(b, b_first + whole * kWordBits) & (~std::uint64_t{0} >> (kWordBits - rest)));
  }
  return count;
}

std::uint64_t lowest_common_bit(const std::uint64_t* a, std::uint64_t a_first, const std::uint64_t* b, std::uint64_t b_first) {
  for (std::uint64_t at = 0;; at += kWordBits) {
    const std::uint64_t common = word_from(a, a_first + at) & word_from(b, b_first + at);
    if (common != 0) return at + static_cast<std::uint64_t>(std::countr_zero(common));
  }
}

}  // namespace dlscope::core
