// The loops of ValueTest over values that lie side by side. Pure functions; thread: any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace dlscope::core {

inline constexpr std::size_t kBlockWords = 4096;  // fits into the level-1 cache

// Counts the words w for which (w & mask) lies in one of two ranges, given as low and span.
template <class Word>
struct WordScan {
  Word mask, low0, span0, low1, span1;

  [[nodiscard]] bool hit(Word word) const {
    const Word w = word & mask;
    return static_cast<Word>(w - low0) <= span0 || static_cast<Word>(w - low1) <= span1;
  }
  // Without branches, so that the compiler vectorises the loop.
  [[nodiscard]] std::size_t count(const std::byte* from, std::size_t words) const {
    Word hits = 0;  // kBlockWords fits every Word type used here (8-bit words are not)
    for (std::size_t i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
      const Word w = word & mask;
      hits = static_cast<Word>(hits + (static_cast<Word>(static_cast<Word>(w - low0) <= span0) |
                                       static_cast<Word>(static_cast<Word>(w - low1) <= span1)));
    }
    return hits;
  }
  // The words of one element.
  [[nodiscard]] std::size_t hits(const std::byte* from, std::size_t words) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
      out += hit(word) ? 1 : 0;
    }
    return out;
  }

  // Values of `each` bytes; one of several words matches if any of them does.
  [[nodiscard]] std::uint64_t count_values(std::span<const std::byte> values, std::size_t each) const {
    std::uint64_t found = 0;
    const std::size_t all = values.size() / each, per_value = each / sizeof(Word);
    for (std::size_t first = 0; per_value == 1 && first < all; first += kBlockWords)
      found += count(values.data() + first * each, std::min(kBlockWords, all - first));
    for (std::size_t i = 0; per_value > 1 && i < all; ++i) found += hits(values.data() + i * each, per_value) != 0 ? 1 : 0;
    return found;
  }
  // For visit_matches().
  [[nodiscard]] std::uint64_t hits_of(const std::byte* from, std::uint64_t values, std::size_t each) const {
    const std::size_t per_value = each / sizeof(Word);
    return values == 1 ? hits(from, per_value) : count(from, values * per_value);
  }
  [[nodiscard]] static std::uint64_t block(std::size_t each) { return std::max<std::size_t>(1, kBlockWords / (each / sizeof(Word))); }
};

// Counts the pairs of words, as the two parts of complex numbers, of which each lies in its range.
template <class Word>
struct PairScan {
  std::array<Word, 2> mask, low, span;

  [[nodiscard]] bool hit(const std::byte* from) const {
    std::array<Word, 2> words;
    std::memcpy(words.data(), from, sizeof words);
    const auto first = static_cast<Word>((words[0] & mask[0]) - low[0]), second = static_cast<Word>((words[1] & mask[1]) - low[1]);
    return (static_cast<unsigned>(first <= span[0]) & static_cast<unsigned>(second <= span[1])) != 0;
  }
  [[nodiscard]] std::uint64_t count(const std::byte* from, std::uint64_t pairs) const {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < pairs; ++i) hits += hit(from + i * 2 * sizeof(Word)) ? 1 : 0;
    return hits;
  }
  [[nodiscard]] std::uint64_t count_values(std::span<const std::byte> values, std::size_t each) const {
    return count(values.data(), values.size() / each);
  }
  [[nodiscard]] std::uint64_t hits_of(const std::byte* from, std::uint64_t values, std::size_t) const { return count(from, values); }
  [[nodiscard]] static std::uint64_t block(std::size_t) { return kBlockWords / 2; }
};

// ValueTest::each_match(). Each value is tested at most twice: with its block, and by itself in a block that has a match.
// hits_of(first, count): the hits in these elements; one element has at most a few.
template <class HitsOf>
std::uint64_t visit_matches(std::uint64_t elements, std::uint64_t block, const HitsOf& hits_of,
                            const std::function<bool(std::uint64_t)>& found) {
  for (std::uint64_t first = 0; first < elements; first += block) {
    const std::uint64_t count = std::min(block, elements - first);
    std::uint64_t left = hits_of(first, count);
    for (std::uint64_t i = 0; left > 0 && i < count; ++i) {
      const std::uint64_t hits = hits_of(first + i, 1);
      left -= hits;
      if (hits > 0 && !found(first + i)) return first + i + 1;
    }
  }
  return elements;
}

}  // namespace dlscope::core
