// ValueScan: what one thread accumulates over blocks of a tensor's values: counts, min, max, bins, the first and last special value.
// Their result does not depend on the order of the blocks. The moments (mean, variance) do, in the last bits: add() returns those of
// each block, and the caller combines them in a fixed order.
// thread: one; several scans of one MemoryOrder may run beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/devices/kernels/block_scan.h"
#include "core/elements/memory_order.h"
#include "core/statistics/block_kernels.h"
#include "core/statistics/code_counts.h"
#include "core/statistics/index_lines.h"
#include "core/statistics/moments.h"
#include "core/statistics/statistics.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Which loops a type needs. codes: bit patterns are counted (CodeCounts); none: the bits cannot be decoded.
enum class ScanKind : std::uint8_t { none, floats, integers, codes, complex };
[[nodiscard]] ScanKind scan_kind(DType dtype, bool histogram);

class ValueScan {
 public:
  // `bins`: the histogram's range, for floats and integers. `order` must outlive it.
  ValueScan(const MemoryOrder& order, const TensorValues& values, ScanKind kind, std::optional<BinScale> bins,
            const BlockKernels& kernels = block_kernels());

  // Adds the values of the places [place, place + count), as an ElementReader gives them, at most kBlockBytes; returns their moments
  // (empty ones for codes and complex values). Given are the stored values, added those that their sign bits mean. ahead: the values
  // that will be added next, as many, to be prefetched; null: not known.
  [[nodiscard]] Moments add(const std::byte* values, std::uint32_t count, std::uint64_t place, const std::byte* ahead = nullptr);
  // The same from a device's result for a plain block; its bins and codes are added once, at the end, by the next function.
  [[nodiscard]] Moments add(const kernels::BlockAnswer& block, std::uint32_t count);
  void add(const kernels::BinCounts& bins, std::span<const std::uint64_t> codes);
  void merge(const ValueScan& other);

  // Writes the result; `moments` are those of all blocks, combined.
  void finish(Moments moments, Statistics& out);

  [[nodiscard]] static std::uint32_t block_values(std::size_t value_bytes) {
    return static_cast<std::uint32_t>(kBlockBytes / value_bytes);
  }

 private:
  // A block and what comes behind it, as add() has them.
  struct Block {
    const std::byte* values;
    std::uint32_t count;
    std::uint64_t place;
    const std::byte* ahead;
  };
  [[nodiscard]] const std::byte* negatives_of(const std::byte* values, std::uint32_t count);
  [[nodiscard]] Moments add_floats(const Block& block);
  [[nodiscard]] Moments add_integers(const Block& block);
  void add_complex(const std::byte* values, std::uint32_t count, std::uint64_t place);
  template <class Bits>
  void classify_complex(const std::byte* values, std::uint32_t count, std::uint64_t place, unsigned fraction_bits);
  void add_codes(const Block& block);
  void add_bins(const Block& block, const CarefulBlock& found);
  void add_bins_inside(const Block& block);  // none is NaN or outside the range
  void make_room_for_bins(std::uint32_t count);
  void flush_bins();
  // special_bits_ says which values of the block are special; one is.
  void note_specials(const std::byte* values, std::uint32_t count, std::uint64_t place);
  // The codes say it.
  void note_special_codes(const std::byte* values, std::uint32_t count, std::uint64_t place);
  template <class Specials>
  void note_outermost(const std::byte* values, std::uint32_t count, std::uint64_t place, const Specials& specials);
  void finish_extremes(ValueSummary& summary) const;

  const MemoryOrder& order_;
  DType dtype_;  // one lane
  unsigned lanes_;
  std::size_t value_bytes_;
  ScanKind kind_;
  bool is_unsigned_;
  SignBits signs_;
  bool negates_;                    // real numbers: a block is copied, and its copy negated, before it is looked at
  std::vector<std::byte> negated_;  // a block
  FloatType float_type_ = FloatType::f32;
  IntType int_type_ = IntType::i8;
  const BlockKernels& kernels_;
  IndexLines lines_;

  std::uint64_t seen_ = 0;
  std::uint64_t nan_ = 0, pos_inf_ = 0, neg_inf_ = 0, zero_ = 0, negative_ = 0, subnormal_ = 0, finite_ = 0;
  double min_ = 0, max_ = 0;                                   // floats, when finite_ > 0
  std::int64_t int_min_ = 0, int_max_ = 0;                     // integers, less 2^(bits - 1) where unsigned
  std::uint64_t first_special_ = kNoIndex, last_special_ = 0;  // indices of values
  ValueClass first_kind_{}, last_kind_{};
  std::vector<std::uint64_t> special_bits_;
  std::optional<CodeCounts> codes_;
  std::optional<BinScale> bins_;
  std::vector<std::uint32_t> bin_parts_;  // kBinTables of 256
  std::uint64_t binned_ = 0;              // since the last flush
  Histogram histogram_;
};

}  // namespace dlscope::core
