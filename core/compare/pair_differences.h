// PairDifferences: the number that a picture shows for each pair of values. Computed from exact values: 64-bit integers are
// neither rounded first nor wrapped.
//   equal; NaN in both            0, and equal
//   NaN in one                    NaN
//   an infinity and another value that infinity, with the sign of a - b
//   relative, b is 0 and a not    +infinity
//   too large for a double        the largest double: infinity is only for infinite values
// These are the rules of the comparison (pair_scan.h). DifferenceKind::unequal gives 1 or 0 for all values.
// thread: one at a time. Reuse one object: it keeps its buffers.
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
  // a, b: dtypes whose values can be decoded.
  PairDifferences(DType a, DType b, DifferenceKind kind);

  // a, b: at most SideNumbers::kMaxValues values each, packed as by ElementReader. The results below are valid until the next
  // call.
  void work_out(const std::byte* a, const std::byte* b, std::uint32_t count);
  [[nodiscard]] std::span<const double> differences() const { return differences_; }
  [[nodiscard]] bool unequal(std::size_t pair) const { return unequal_[pair] != 0; }
  [[nodiscard]] std::span<const std::uint8_t> unequal() const { return unequal_; }  // 1 or 0

  // True: both have the same dtype and all `count` pairs the same bits, so that every difference is 0.
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
