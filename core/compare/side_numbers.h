// SideNumbers: the values of one of two compared tensors as floating-point numbers. A double holds them exactly but for 64-bit
// integers (is_wide()), which want a long double; so does what is compared with them.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/dtype.h"

namespace dlscope::core {

class SideNumbers {
 public:
  static constexpr std::uint32_t kMaxValues = 2048;  // at once

  // Of one lane of a known dtype.
  explicit SideNumbers(DType dtype);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of a value as ElementReader gives it
  [[nodiscard]] bool is_complex() const { return code() == DTypeCode::complex; }
  [[nodiscard]] bool is_wide() const { return is_integer() && dtype_.bits == 64; }
  [[nodiscard]] bool is_integer() const;  // or bool

  // At most kMaxValues. parts: 2 where either tensor is complex, then a value has two numbers; else 1.
  template <class Number>
  void read(const std::byte* values, std::uint32_t count, std::size_t parts, std::vector<Number>& out) const;

 private:
  [[nodiscard]] DTypeCode code() const { return static_cast<DTypeCode>(dtype_.code); }

  DType dtype_;
  std::size_t bytes_;
  std::vector<double> by_byte_;  // of 8 bits and fewer
};

}  // namespace dlscope::core
