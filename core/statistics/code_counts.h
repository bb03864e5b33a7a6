// CodeCounts: counts how often each bit pattern ("code") of a type of at most 16 bits occurs. All statistics follow from these counts
// exactly, quantiles and histogram included. thread: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/statistics/moments.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

class CodeCounts {
 public:
  // dtype.bits <= 16; values as ElementReader gives them, 1 or 2 bytes each.
  explicit CodeCounts(DType dtype);

  // Counts at most kBlockBytes of values. ahead: as many bytes to prefetch meanwhile, which will be added next; null: none.
  void add(const std::byte* values, std::uint32_t count, const std::byte* ahead = nullptr);
  // Adds counts made elsewhere (by a device), one per code; those of NaN and infinities must be 0.
  void add(std::span<const std::uint64_t> counts);
  void merge(const CodeCounts& other);
  // Whether this block, the last one added, has a NaN or an infinity.
  [[nodiscard]] bool found_special(const std::byte* values, std::uint32_t count);
  // Whether this value is a NaN or an infinity.
  [[nodiscard]] bool is_special(const std::byte* value) const {
    if (codes_ <= 256) return special_bytes_[static_cast<std::size_t>(*value)] != 0;
    std::uint16_t code = 0;
    std::memcpy(&code, value, sizeof code);
    return (code & 0x7fff) >= least_special_;
  }

  // Fills everything but the method, count, seen and the special values; every value counts `repeats` times.
  void summarise(std::uint64_t repeats, Statistics& out, Moments& moments);

 private:
  struct Entry {
    double value;
    std::uint64_t count;
  };

  void flush();
  void count_one_byte(const std::byte* values, std::uint32_t count);  // slower than memory: prefetching would not help
  void count_two_bytes(const std::byte* values, std::uint32_t count, const std::byte* ahead);
  static void fill_quantiles(const std::vector<Entry>& sorted, std::uint64_t all, Quantiles& out);
  void fill_histogram(const std::vector<Entry>& sorted, std::uint64_t all, Histogram& out) const;

  DType dtype_;
  std::size_t codes_;                // 2^bits; 256 for bool
  std::vector<std::uint32_t> part_;  // several tables: neighbouring values that are equal would wait for each other
  std::vector<std::uint64_t> total_;
  std::vector<std::uint16_t> special_codes_;       // of one-byte values
  std::array<std::uint8_t, 256> special_bytes_{};  // 1 for those
  std::uint32_t least_special_ = 0x8000;           // of two-byte values, without their sign; 0x8000: there are none
  std::uint64_t specials_seen_ = 0;
  std::uint64_t added_ = 0;  // since the last flush
};

}  // namespace dlscope::core
