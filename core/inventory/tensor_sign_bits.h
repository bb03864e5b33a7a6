// The sign bits that a library notes beside a tensor, by its remarks.
// thread: any.
#pragma once

#include "core/inventory/snapshot.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

[[nodiscard]] inline SignBits sign_bits_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  return {.conjugate = snapshot.has_remark(tensor, RemarkCode::conjugate_bit),
          .negate = snapshot.has_remark(tensor, RemarkCode::negative_bit)};
}

}  // namespace dlscope::core
