// The inner loops of the statistics over one block of at most kBlockBytes of contiguous values, compiled once for each instruction set
// (Highway; chosen at run time). A block fits into the first-level cache, so a second pass over it is cheap.
// Floats have two loops. The quick one assumes what is usual (no NaN or infinity, nothing that overflows) and its sums are those of the
// type's own precision; is_plain() in moments.h says whether its result holds. If not, the careful one reads the block again.
// Sums are of x - shift, where the shift is about as large as the values: so a mean far from 0 costs no precision (shifted-data
// algorithm for the variance). thread: any. The floating-point environment must be the default one (no flushing of subnormals).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

inline constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

enum class FloatType : std::uint8_t { f16, bf16, f32, f64 };
enum class IntType : std::uint8_t { i8, i16, i32, i64, boolean };

// Result of the quick loop. Valid only if is_plain().
struct FloatBlock {
  double shift = 0;             // one of the values, or close to some
  double sum = 0, squares = 0;  // of x - shift, and of its square
  double min = 0, max = 0;
  std::uint32_t negative = 0, zero = 0, subnormal = 0;
};

// Result of the careful loop. Sums, min and max are over the finite values, scaled so that squares neither overflow nor underflow.
struct CarefulBlock {
  std::uint32_t nan = 0, pos_inf = 0, neg_inf = 0, zero = 0, subnormal = 0, negative = 0;
  std::uint32_t finite = 0;
  int exponent = 0;  // shift, sum and squares are those of x * 2^-exponent
  double shift = 0, sum = 0, squares = 0;
  double min = 0, max = 0;
};

// Values as signed numbers: unsigned ones less 2^(bits - 1), so that one loop serves both.
struct IntBlock {
  std::int64_t min = 0, max = 0;
  std::int64_t shift = 0;
  std::int64_t sum = 0;  // of x - shift; exact
  double squares = 0;    // of (x - shift)^2; exact up to 16 bits
  std::uint32_t zero = 0, negative = 0;
  bool too_wide = false;  // 64 bits: the differences may not fit; sum and squares mean nothing
};

// Where a value falls: floor((x * unit - low * unit) * scale), cut to 0 ... 255.
struct BinScale {
  double low = 0, high = 0, width = 0, scale = 0;
  double unit = 1;                         // 1/2 where high - low would overflow
  std::int64_t int_low = 0, int_high = 0;  // of 64-bit integers, as IntBlock has them: a double would be too coarse
};
// Bins are counted in several tables in turn, which are added up later: incrementing one counter twice in a row stalls the processor.
inline constexpr std::size_t kBinTables = 8;
struct BinOutliers {
  std::uint32_t below = 0, above = 0;  // x < low: counted in bin 0 too; x > high: in bin 255 too
};

struct BlockKernels {
  const char* name;
  std::array<void (*)(const std::byte* values, std::size_t count, FloatBlock& out), 4> quick;  // by FloatType
  // special_bits: one for each value, 1 for NaN and infinities; (count + 63) / 64 + 1 words.
  std::array<void (*)(const std::byte* values, std::size_t count, CarefulBlock& out, std::uint64_t* special_bits), 4> careful;
  std::array<void (*)(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out), 5> ints;  // by IntType
  // Counts the values in the bins they fall into. tables: kBinTables of 256 counters, which add up. NaN is counted in bin 0,
  // infinities as outliers. ahead: as many values that are looked at next, fetched while these are counted; null: none.
  void (*count_bins_f32)(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead,
                         BinOutliers& outliers, std::uint32_t* tables);
  void (*count_bins_f64)(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead,
                         BinOutliers& outliers, std::uint32_t* tables);
  // The same of a block without NaN whose values all lie in [scale.low, scale.high].
  void (*count_inside_f32)(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead,
                           std::uint32_t* tables);
  void (*count_inside_f64)(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead,
                           std::uint32_t* tables);
  void (*count_bins_i32)(const std::byte* values, std::size_t count, bool is_unsigned, const BinScale& scale,
                         const std::byte* ahead, BinOutliers& outliers, std::uint32_t* tables);
  void (*count_bins_i64)(const std::byte* values, std::size_t count, bool is_unsigned, const BinScale& scale,
                         const std::byte* ahead, BinOutliers& outliers, std::uint32_t* tables);
};

// Of the best instruction set this machine has. Static storage.
[[nodiscard]] const BlockKernels& block_kernels();

// All that run here, the best last; for tests.
[[nodiscard]] std::span<const BlockKernels* const> all_block_kernels();

}  // namespace dlscope::core
