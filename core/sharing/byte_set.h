// Bit sets of sums of arithmetic progressions, over a window: bit x is
// set if base + sum(ki * stridei) = x for some indices ki. Built by
// doubling: adding an axis of n steps takes log2(n) passes "set |= set << shift". So the cost is the window's size times the
// logarithms of the counts, and does not depend on the number of index tuples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// The bits of a window, the first in bit 0 of the first word. Bits after the window are zero. Owns its memory; move-only.
class BitWindow {
 public:
  BitWindow() = default;
  // All zero. valid() is false when there is no memory. `lead_bits` additional bits below the window are for building (bit index
  // -1 is the bit before the window).
  BitWindow(std::uint64_t bits, std::uint64_t lead_bits);

  [[nodiscard]] bool valid() const { return memory_ != nullptr; }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] std::span<std::uint64_t> words() { return {window_, words_}; }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return {window_, words_}; }
  // The words from `lead_words()` before the window; one more zero word lies before them.
  [[nodiscard]] std::uint64_t* lead() { return window_ - lead_words_; }
  [[nodiscard]] std::size_t lead_words() const { return lead_words_; }

  void set_range(std::uint64_t begin, std::uint64_t end);  // must lie in the window
  void clear_tail();                                       // zeroes the bits after the window

 private:
  struct Free {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };
  std::unique_ptr<std::uint64_t[], Free> memory_;
  std::uint64_t* window_ = nullptr;
  std::size_t lead_words_ = 0;
  std::size_t words_ = 0;
  std::uint64_t bits_ = 0;
};

// The part of a sum set that a window shows: `hole` empty bits, then the offsets [begin, end). `axes` have been cut to it by
// clip_axes(). There is a hole if the first index tuple in the window is not at its start (begin is then 0).
struct SumWindow {
  std::span<const Axis> axes;  // axes[0].stride is 1
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // > begin
  std::uint64_t hole = 0;
};

// What building the set would cost.
struct SumSetCost {
  std::uint64_t bits = 0;   // of scratch memory
  std::uint64_t words = 0;  // written in all passes together
};
[[nodiscard]] SumSetCost sum_set_cost(const SumWindow& window);

// The bits of the window. nullopt: no memory, or stopped.
[[nodiscard]] std::optional<BitWindow> build_sum_set(const SumWindow& window, const std::stop_token& stop);

// A set with one bit for every `group` bits (2, 4 or 8), set if any of them is. Converts sets of bits to sets of bytes. nullopt:
// no memory, or stopped.
[[nodiscard]] std::optional<BitWindow> fold(const BitWindow& set, unsigned group, const std::stop_token& stop);

// How many bits are set. nullopt: stopped.
[[nodiscard]] std::optional<std::uint64_t> count_bits(const BitWindow& set, const std::stop_token& stop);

struct CommonBits {
  std::uint64_t count = 0;
  std::uint64_t lowest = 0;  // meaningless when count is 0
};
// The bits set in both, which have the same length. nullopt: stopped.
[[nodiscard]] std::optional<CommonBits> common_bits(const BitWindow& a, const BitWindow& b, const std::stop_token& stop);

}  // namespace dlscope::core
