// NumberRows: the raw values of a dtype as floating-point numbers, many at a time, as the library means them (core/tensor/sign_bits.h).
// A complex value counts as its magnitude (NaN where a part is NaN), True as 1.
// thread: one; kept from one use to the next for its room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// Every value of the type is exact as a float.
[[nodiscard]] bool fits_float(DType dtype);

class NumberRows {
 public:
  // `dtype` must be known (dtype_is_known); its lanes do not matter: a value is one lane.
  explicit NumberRows(DType dtype, SignBits signs = {});

  // Every value of the type is exact as a float. Else they are doubles, 64-bit integers the nearest ones.
  [[nodiscard]] bool fit_float() const { return fit_float_; }

  // `raw` as ElementReader gives it: whole bytes each, a packed value in the low bits. Valid until the next call.
  [[nodiscard]] const float* floats(const std::byte* raw, std::size_t count);    // fit_float()
  [[nodiscard]] const double* doubles(const std::byte* raw, std::size_t count);  // otherwise

 private:
  [[nodiscard]] const std::byte* meant(const std::byte* raw, std::size_t count);
  void decode_complex(const std::byte* raw, std::size_t count);

  DType dtype_;
  std::size_t value_bytes_;
  bool negates_;                  // real numbers; the sign bits of complex ones change no magnitude
  std::vector<std::byte> meant_;  // where it negates: a copy, since raw values may lie in the tensor itself
  bool fit_float_ = false;
  std::vector<float> of_code_;  // of types of at most 8 bits that are no integers
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace dlscope::core
