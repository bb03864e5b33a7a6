// The result of comparing two tensors. Plain data that is sent over the wire.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// Values a and b agree if they are equal, or both NaN, or finite with |a - b| <= absolute + relative * |b| (numpy.isclose).
struct Tolerance {
  double absolute = 0, relative = 0;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// The largest error of one kind, and the lowest index at which it occurs.
struct WorstError {
  double size = 0;
  std::optional<std::uint64_t> value;  // nullopt: no pair has such an error
  friend bool operator==(const WorstError&, const WorstError&) = default;
};

// A value is one lane of an element (a complex number is one value). Its index: C-order index of the element * lanes + lane.
struct Comparison {
  bool same_dtype = false;
  std::uint32_t lanes = 1;
  std::uint64_t values = 0;
  std::uint64_t different = 0;       // pairs of different numbers; two NaN are not different, nor are 0 and -0
  // Pairs with different bits, if the dtypes are the same; 0 and -0 count, and NaNs with different payloads. Conjugate and
  // negative bits are applied first.
  std::uint64_t different_bits = 0;
  std::uint64_t both_nan = 0;        // NaN in A and in B
  std::uint64_t one_nan = 0;         // NaN in one of them only; among the different ones
  std::uint64_t outside = 0;         // pairs that exceed the tolerance
  std::optional<std::uint64_t> first, first_bits;  // lowest index of a pair that counts in different, in different_bits
  // Over pairs without NaN. relative: |a - b| / |b|, infinite if b is 0 or either is infinite. A finite error that is too large
  // for a double is given as the largest double. ulps: only if both have the same float dtype, over pairs of finite values.
  WorstError absolute, relative, ulps;
  // Hashes of dtype, shape and bits that do not depend on the strides; not cryptographic. nullopt if a broadcast axis repeats
  // values.
  std::optional<std::uint64_t> hash_a, hash_b;

  [[nodiscard]] bool bit_equal() const { return same_dtype && different_bits == 0; }
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

}  // namespace dlscope::core
