// PairDifferences: pairs of values as the numbers a picture shows. Of exact values: 64-bit integers are not rounded first and do not wrap.
//   equal; NaN in both            0, and equal
//   NaN in one                    NaN
//   an infinity and another value the infinity that comes of it
//   relative, b is 0 and a not    +infinity
//   too large for a double        the largest double: an infinity stands for an infinity only
// As the comparison has it (pair_scan.h); unequal is 1 or 0, whatever the values.
// thread: one; kept from one use to the next for its room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/difference_kind.h"
#include "core/compare/side_numbers.h"

namespace dlscope::core {

class PairDifferences {
 public:
  // Dtypes are known.
  PairDifferences(DType a, DType b, DifferenceKind kind);

  // Of at most SideNumbers::kMaxValues pairs, as ElementReader gives them; valid until the next call.
  void work_out(const std::byte* a, const std::byte* b, std::uint32_t count);
  [[nodiscard]] std::span<const double> differences() const { return differences_; }
  [[nodiscard]] bool unequal(std::size_t pair) const { return unequal_[pair] != 0; }
  [[nodiscard]] std::span<const std::uint8_t> unequal() const { return unequal_; }  // 1 or 0

  // Every pair of them has the same bits of the same dtype: their difference is 0.
  [[nodiscard]] bool same_bits(const std::byte* a, const std::byte* b, std::uint64_t count) const;
  [[nodiscard]] std::size_t bytes_a() const { return a_.bytes(); }
  [[nodiscard]] std::size_t bytes_b() const { return b_.bytes(); }

 private:
  template <class Number>
  void subtract(const std::byte* a, const std::byte* b, std::uint32_t count, std::vector<Number>& x, std::vector<Number>& y);
  void subtract_doubles(const std::byte* a, const std::byte* b, std::uint32_t count);
  template <class Number>
  void subtract_pair(std::size_t pair, std::span<const Number> x, std::span<const Number> y);
  template <class Number>
  [[nodiscard]] double difference(std::span<const Number> x, std::span<const Number> y) const;

  SideNumbers a_, b_;
  DifferenceKind kind_;
  bool same_dtype_;
  std::vector<double> doubles_a_, doubles_b_, differences_;
  std::vector<long double> wide_a_, wide_b_;
  std::vector<std::uint8_t> unequal_;
};

}  // namespace dlscope::core
