// Sign bits: PyTorch may record a conjugation or negation beside a tensor instead of applying it, so the values it means differ
// from the stored ones. What shows, copies, exports, compares or writes values uses those the library means.
// Pure functions; thread: any.
#pragma once

#include <cstddef>
#include <span>

#include "core/tensor/dtype.h"
#include "core/tensor/element.h"

namespace dlscope::core {

struct SignBits {
  bool conjugate = false, negate = false;

  [[nodiscard]] bool any() const { return conjugate || negate; }
  friend bool operator==(const SignBits&, const SignBits&) = default;
};

// Turns stored values into those the library means, or back: applied twice, nothing changes. values: whole values of one lane,
// one after another. Only integers, floats and complex numbers of whole bytes, which PyTorch can negate, are changed; integers
// wrap, as they do there.
void apply_sign_bits(DType dtype, SignBits signs, std::span<std::byte> values);

// A decoded value of the dtype as the library means it; its raw bits are unchanged.
[[nodiscard]] Value with_sign_bits(DType dtype, Value value, SignBits signs);

}  // namespace dlscope::core
