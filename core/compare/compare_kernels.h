// The inner loops of a comparison, compiled once per instruction set with Highway and chosen at run time. thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/compare/comparison.h"

namespace dlscope::core {

// The odd factor that a word is multiplied by in the hash. number: the word's number modulo 2^32; seed: from the rest of it.
inline constexpr std::uint32_t kNumberFactor = 0x9E3779B1, kMixFactor = 0x85EBCA77;
[[nodiscard]] constexpr std::uint32_t hash_factor(std::uint32_t number, std::uint32_t seed) {
  std::uint32_t mixed = number * kNumberFactor + seed;
  mixed ^= mixed >> 15;
  mixed *= kMixFactor;
  mixed ^= mixed >> 13;
  return mixed | 1;
}

inline constexpr std::size_t kMaxHashedWords = 4;  // words of the largest value, a complex128
// Words of 32 bits: `words_each` (1, 2 or 4) a value. Word w of value i has the number `number` + i * step, modulo 2^32, and
// seeds[w].
struct HashedWords {
  const std::byte* words = nullptr;
  std::uint64_t values = 0;
  std::uint32_t number = 0, step = 0;
  std::array<std::uint32_t, kMaxHashedWords> seeds{};
};
// Values of 1 or 2 bytes share words: value i has the index `index` + i * step, modulo 2^32.
struct HashedParts {
  const std::byte* values = nullptr;
  std::uint64_t count = 0;
  std::uint32_t index = 0, step = 0, seed = 0;
};
// A pattern p is in the range when (p & mask) - low <= span, unsigned.
struct PatternRange {
  std::uint64_t mask = 0, low = 1, span = 0;
};

// HashedWords of which B may have the same ones, value for value.
struct EqualWords {
  const std::byte* b = nullptr;
  PatternRange nan;
  // Of the first `taken` values of A, which are hashed in any case:
  std::uint64_t taken = 0, hash = 0;
  bool equal = true;
  std::uint64_t nans = 0;  // parts of values whose pattern is in the range, if they are equal
};

// Totals over pairs of numbers. A number is one double, or two if it is complex.
struct NumberDifferences {
  std::uint32_t numbers = 0;  // pairs that differ and of which neither is NaN
  std::uint32_t both_nan = 0, one_nan = 0;
  std::uint32_t outside = 0;          // how many of `numbers` exceed the tolerance
  double absolute = 0, relative = 0;  // the largest errors of `numbers`, defined as in Comparison
};
// What number_differences() has to know beside the pairs.
struct NumberLimits {
  Tolerance tolerance;
  double absolute = 0, relative = 0;  // errors below these need not be found, but for whether they exceed the tolerance
  // Where the values lie that come next, of so many bytes for each pair at hand: fetched meanwhile. null: nowhere.
  std::array<const std::byte*, 2> next{};
  std::array<std::size_t, 2> next_bytes{};
};
struct IntegerDifferences {
  std::uint64_t different = 0;
  std::uint64_t absolute = 0;  // the largest error, exact
  double relative = 0;         // the largest error, computed from rounded numbers: off by a factor of at most 1 + kRatioError
};
inline constexpr double kRatioError = 0x1p-50;

inline constexpr std::size_t kDifferencePadding = 8;  // pairs: a multiple of the vector length on every machine

struct CompareKernels {
  // Sums of word * factor over the first `taken` values; the caller adds the rest. Index: log2 of the words, or bytes, of a
  // value.
  std::array<std::uint64_t (*)(const HashedWords& run, std::uint64_t& taken), 3> hash_words;
  std::array<std::uint64_t (*)(const HashedParts& run, std::uint64_t& taken), 2> hash_parts;
  // hash_words(), comparing and counting NaN in one pass, which memory keeps waiting once instead of three times. Indices: log2 of the
  // words of a value; log2 of the bytes of a pattern, 4: none can be NaN.
  std::array<std::array<void (*)(const HashedWords& run, EqualWords& found), 5>, 3> equal_words;
  // How many patterns are in the range. Index: log2 of the bytes of a pattern.
  std::array<std::uint64_t (*)(const std::byte* patterns, std::uint64_t count, PatternRange range), 4> count_patterns;
  // How many values differ in their bits. Index: log2 of the bytes of a value.
  std::array<std::uint64_t (*)(const std::byte* a, const std::byte* b, std::uint64_t count), 5> count_different;
  // The largest ULP distance of all pairs of finite values of an IEEE 754 format. infinity: the pattern of +infinity.
  // Indices: parts of a value (1, or 2 if complex) minus 1; log2 of the bytes of a part.
  std::array<
      std::array<std::uint64_t (*)(const std::byte* a, const std::byte* b, std::uint64_t count, std::uint64_t infinity), 4>, 2>
      most_steps;
  // padded: number of pairs, a multiple of kDifferencePadding. Index: parts of a value minus 1.
  std::array<NumberDifferences (*)(const double* a, const double* b, std::size_t padded, const NumberLimits& limits), 2>
      number_differences;
  // Index 0: int64, 1: uint64.
  std::array<IntegerDifferences (*)(const std::byte* a, const std::byte* b, std::uint64_t count), 2> integer_differences;
};

// The loops for the best instruction set of this machine. Static storage.
[[nodiscard]] const CompareKernels& compare_kernels();
// The loops for every instruction set that runs on this machine, the best last; for tests.
[[nodiscard]] std::span<const CompareKernels* const> all_compare_kernels();

}  // namespace dlscope::core
