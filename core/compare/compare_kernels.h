// The inner loops of a comparison, once for each instruction set the machine may have (Highway; chosen at run time). thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/compare/comparison.h"

namespace dlscope::core {

// The factor of a word in the hash: from the low half of its number, mixed, and a seed for the high half.
inline constexpr std::uint32_t kNumberFactor = 0x9E3779B1, kMixFactor = 0x85EBCA77;
[[nodiscard]] constexpr std::uint32_t hash_factor(std::uint32_t number, std::uint32_t seed) {
  std::uint32_t mixed = number * kNumberFactor + seed;
  mixed ^= mixed >> 15;
  mixed *= kMixFactor;
  mixed ^= mixed >> 13;
  return mixed | 1;
}

inline constexpr std::size_t kMaxHashedWords = 4;  // of a value
// Words of 32 bits: `words_each` (1, 2 or 4) a value. Word w of value i has the number `number` + i * step, modulo 2^32, and seeds[w].
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

// What pairs of numbers come to, each of them one double, or two where it is complex.
struct NumberDifferences {
  std::uint32_t numbers = 0;  // pairs that differ and of which neither is NaN
  std::uint32_t both_nan = 0, one_nan = 0;
  std::uint32_t outside = 0;          // of `numbers`, of the tolerance
  double absolute = 0, relative = 0;  // the largest of `numbers`, as WorstError has them
};
struct IntegerDifferences {
  std::uint64_t different = 0;
  std::uint64_t absolute = 0;  // the largest, exactly
  double relative = 0;         // the largest, of rounded numbers: within kRatioError of it
};
inline constexpr double kRatioError = 0x1p-50;

inline constexpr std::size_t kDifferencePadding = 8;  // pairs: a whole number of vectors, whatever the machine's

struct CompareKernels {
  // Sums of word * factor; `taken`: how many values, from the front.
  std::array<std::uint64_t (*)(const HashedWords& run, std::uint64_t& taken), 3> hash_words;  // by log2 of the words of a value
  std::array<std::uint64_t (*)(const HashedParts& run, std::uint64_t& taken), 2> hash_parts;  // by log2 of the bytes
  // Patterns in the range, of all.
  std::array<std::uint64_t (*)(const std::byte* patterns, std::uint64_t count, PatternRange range), 4>
      count_patterns;  // of bytes, log2
  // Values whose bits differ. By log2 of their bytes.
  std::array<std::uint64_t (*)(const std::byte* a, const std::byte* b, std::uint64_t count), 5> count_different;
  // The most steps from one number of an IEEE 754 format to the next between the values of a pair, of pairs that are finite. `infinity`:
  // its pattern. By the parts of a value, less 1, and by log2 of the bytes of a part.
  std::array<
      std::array<std::uint64_t (*)(const std::byte* a, const std::byte* b, std::uint64_t count, std::uint64_t infinity), 4>, 2>
      most_steps;
  // padded: pairs, a multiple of kDifferencePadding. By the parts of a value, less 1.
  std::array<NumberDifferences (*)(const double* a, const double* b, std::size_t padded, Tolerance tolerance), 2>
      number_differences;
  // Of int64 and of uint64.
  std::array<IntegerDifferences (*)(const std::byte* a, const std::byte* b, std::uint64_t count), 2> integer_differences;
};

// Of the best instruction set this machine has. Static storage.
[[nodiscard]] const CompareKernels& compare_kernels();
// All that run here, the best last; for tests.
[[nodiscard]] std::span<const CompareKernels* const> all_compare_kernels();

}  // namespace dlscope::core
