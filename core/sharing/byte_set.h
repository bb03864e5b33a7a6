// Bit sets over a window of a sum of arithmetic progressions: bit x is set when base + sum(ki * stridei) = x for some
// indices. Built by doubling shifts: adding an axis of n steps takes log2(n) passes "set |= set << shift", so the cost
// is the window times the logarithms of the counts, whatever the number of index tuples.
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

// Bits of a window, the first one in bit 0 of the first word. Bits behind the window are zero. Move-only.
class BitWindow {
 public:
  BitWindow() = default;
  // All zero, or false from valid() when the memory cannot be had. `lead_bits` more bits are kept below the window,
  // for building (bit index -1 is the one before the window).
  BitWindow(std::uint64_t bits, std::uint64_t lead_bits);

  [[nodiscard]] bool valid() const { return memory_ != nullptr; }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] std::span<std::uint64_t> words() { return {window_, words_}; }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return {window_, words_}; }
  // The words from `lead_words()` before the window; one more zero word lies before them.
  [[nodiscard]] std::uint64_t* lead() { return window_ - lead_words_; }
  [[nodiscard]] std::size_t lead_words() const { return lead_words_; }

  void set_range(std::uint64_t begin, std::uint64_t end);  // within the window
  void clear_tail();                                       // zeroes what lies behind the window

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

// Which part of a sum set: `hole` empty bits, then the offsets [begin, end). `axes` are clipped to it already (clip_axes);
// a hole is what clipping leaves when the first tuple that matters lies inside the window (begin is then 0).
struct SumWindow {
  std::span<const Axis> axes;  // axes[0].stride is 1
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // > begin
  std::uint64_t hole = 0;
};

// What building it would take.
struct SumSetCost {
  std::uint64_t bits = 0;   // of scratch
  std::uint64_t words = 0;  // written, all passes together
};
[[nodiscard]] SumSetCost sum_set_cost(const SumWindow& window);

// nullopt: no memory, or stopped.
[[nodiscard]] std::optional<BitWindow> build_sum_set(const SumWindow& window, const std::stop_token& stop);

// One bit for every `group` bits (2, 4 or 8): set when any of them is. For bits to bytes.
[[nodiscard]] std::optional<BitWindow> fold(const BitWindow& set, unsigned group);

// Of the lowest bit set in both; there is one.
[[nodiscard]] std::uint64_t lowest_common_bit(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace dlscope::core
