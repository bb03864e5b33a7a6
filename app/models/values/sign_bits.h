// Sign bits: PyTorch notes a conjugation or negation beside a tensor instead of doing it, so that the values are not what the
// bytes say. What is shown, copied and added up is what the library means.
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

// The value the library means. Its raw bits stay as they are.
[[nodiscard]] core::Value with_sign_bits(core::Value value, SignBits signs);

}  // namespace dlscope::app
