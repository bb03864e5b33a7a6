// Sign bits: PyTorch may record a conjugation or negation beside a tensor instead of applying it, so its values differ from its
// bytes. The window shows, copies and sums the values the library means.
#pragma once

#include "core/inventory/snapshot.h"
#include "core/tensor/element.h"

namespace dlscope::app {

struct SignBits {
  bool conjugate = false, negate = false;

  [[nodiscard]] bool any() const { return conjugate || negate; }
  friend bool operator==(const SignBits&, const SignBits&) = default;
};

[[nodiscard]] SignBits sign_bits_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// The value that the library means; its raw bits are unchanged.
[[nodiscard]] core::Value with_sign_bits(core::Value value, SignBits signs);

}  // namespace dlscope::app
