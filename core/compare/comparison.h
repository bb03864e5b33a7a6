// What comes of comparing two tensors. Plain data: it travels the wire.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// Values a and b agree when they are equal, or finite and |a - b| <= absolute + relative * |b|, as NumPy's isclose has it; two NaN
// agree.
struct Tolerance {
  double absolute = 0, relative = 0;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// The largest error of a kind, and where: the lowest index that has it.
struct WorstError {
  double size = 0;
  std::optional<std::uint64_t> value;  // index; none: no two values differ that have such an error
  friend bool operator==(const WorstError&, const WorstError&) = default;
};

// Values are the lanes of elements; their index is the C-order number of the element x lanes + the lane. A complex value is one.
struct Comparison {
  bool same_dtype = false;
  std::uint32_t lanes = 1;
  std::uint64_t values = 0;
  std::uint64_t different = 0;       // other numbers; NaN and NaN are not, nor are 0 and -0
  // Other bits, where the dtypes are the same: 0 and -0, NaN and another NaN too. Of a tensor with sign bits: the bits of the
  // values that the library means, not the stored ones.
  std::uint64_t different_bits = 0;
  std::uint64_t both_nan = 0;        // NaN in A and in B
  std::uint64_t one_nan = 0;         // NaN in one of them only; among the different ones
  std::uint64_t outside = 0;         // of the tolerance
  std::optional<std::uint64_t> first, first_bits;  // index of the first value that is different, that has other bits
  // Neither is NaN. relative: to |b|; infinite where b is 0 or one of them is infinite. What is too large for a double otherwise
  // is the largest one. ulps: steps from one number of the dtype to the next, between finite numbers of the same float dtype.
  WorstError absolute, relative, ulps;
  // Of dtype, shape and bits, whatever the strides: equal content has equal hashes. Not cryptographic. None where a broadcast axis
  // makes one value stand for many.
  std::optional<std::uint64_t> hash_a, hash_b;

  [[nodiscard]] bool bit_equal() const { return same_dtype && different_bits == 0; }
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

}  // namespace dlscope::core
