// The inner loops of a search, compiled once per instruction set with Highway and chosen at run time. thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

// The words w of which (w & mask) - low[i] <= span[i], unsigned, for one of two ranges. None at first.
struct WordRanges {
  std::uint64_t mask = 0;
  std::array<std::uint64_t, 2> low{1, 1}, span{0, 0};

  [[nodiscard]] static WordRanges one(std::uint64_t mask, std::uint64_t low, std::uint64_t high) {
    return {mask, {low, low}, {high - low, high - low}};
  }
  [[nodiscard]] bool has(std::uint64_t word) const {
    const std::uint64_t w = word & mask;
    return w - low[0] <= span[0] || w - low[1] <= span[1];
  }
};

// How many values match.
struct SearchKernels {
  // Index: log2 of the bytes of a word.
  using OfWords = std::uint64_t (*)(const std::byte* words, std::uint64_t count, const WordRanges& sought);
  std::array<OfWords, 4> words;
  // Of values of two words: of which one at least matches. Index: log2 of the bytes of a word, from 2 bytes on.
  std::array<OfWords, 3> either;
  // Of which the first word is one of sought[0], and the second one of sought[1].
  std::array<std::uint64_t (*)(const std::byte* pairs, std::uint64_t count, const std::array<WordRanges, 2>& sought), 3> both;
};

// The loops for the best instruction set of this machine. Static storage.
[[nodiscard]] const SearchKernels& search_kernels();
// The loops for every instruction set that runs on this machine, the best last; for tests.
[[nodiscard]] std::span<const SearchKernels* const> all_search_kernels();

}  // namespace dlscope::core
