// PairScan: what one worker finds while it walks over pairs of values. All of it can be joined in any order, so that the answer
// has the same bits for any number of workers.
//
// Blocks of pairs are counted by vector loops that also give the largest errors of a block; only a block that may hold a larger
// one than was found so far, or an earlier one, is looked at pair by pair.
// thread: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/compare/compare_kernels.h"
#include "core/compare/comparison.h"
#include "core/compare/number_distance.h"
#include "core/compare/side_numbers.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// Why values of these dtypes cannot be compared, in words; "" where they can.
[[nodiscard]] std::string why_not_comparable(DType a, DType b);

class PairScan {
 public:
  // Needs why_not_comparable() == "".
  PairScan(DType a, DType b, Tolerance tolerance, bool hashes);

  static constexpr std::uint32_t kMaxValues = SideNumbers::kMaxValues;  // of both: in the first-level cache
  // `count` (<= kMaxValues) values of A and of B as ElementReader gives them; the first has the index `index`, every next one
  // `step` more.
  void add(const std::byte* a, const std::byte* b, std::uint32_t count, std::uint64_t index, std::int64_t step);
  void merge(const PairScan& other);
  // `repeats`: values that each pair stands for.
  [[nodiscard]] Comparison finish(std::uint64_t values, std::uint64_t repeats, std::span<const std::int64_t> shape) const;

 private:
  // Indices of the values at hand.
  struct Run {
    std::uint64_t index = 0;
    std::int64_t step = 0;
    [[nodiscard]] std::uint64_t at(std::uint32_t i) const { return index + static_cast<std::uint64_t>(step) * i; }
    [[nodiscard]] std::uint64_t lowest(std::uint32_t count) const { return step < 0 ? at(count - 1) : index; }
  };
  [[nodiscard]] std::uint32_t add_front(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  void add_differences(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  void count_nan(const std::byte* a, std::uint32_t count);
  void add_bits(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  [[nodiscard]] std::uint64_t most_steps(const std::byte* a, const std::byte* b, std::uint32_t count) const;
  void add_numbers(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  void add_integers(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  void add_wide(const std::byte* a, const std::byte* b, std::uint32_t count, Run run);
  template <class Number>
  void note_pair(const NumberDistance<Number>& distance, std::uint64_t index);
  template <class Number>
  void note_pairs(const std::vector<Number>& x, const std::vector<Number>& y, std::size_t parts, std::uint32_t count, Run run);

  SideNumbers a_, b_;
  DType dtype_a_, dtype_b_;
  Tolerance tolerance_;
  bool hashes_, same_, has_ulps_;
  bool expects_equal_;  // the block before had the same bits on both sides: they are compared and hashed in one go
  std::optional<PatternRange> nan_;  // patterns of a value, or of a part of a complex one
  std::vector<int> places_;          // of floats of a byte and less, as places_of() has them
  Comparison found_;
  std::uint64_t sum_a_ = 0, sum_b_ = 0;
  std::vector<double> doubles_a_, doubles_b_;
  std::vector<long double> wide_a_, wide_b_;
};

}  // namespace dlscope::core
