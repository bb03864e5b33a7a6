// The statistics of the negatives of some real values, from those of the values: what PyTorch means by a tensor with the negative bit
// set, as x.conj().imag has it (core/tensor/sign_bits.h). Pure function; thread: any.
#pragma once

#include "core/base/result.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

// In place. There are no quantiles afterwards, because their ranks count from the other end, and no histogram of integers. Those of
// complex numbers stay: they are of the values meant already (TensorValues::signs). Fails, and leaves `out` as it is, for integers whose
// negatives wrap around in the dtype.
[[nodiscard]] Result<void> negate_statistics(DType dtype, Statistics& out);

}  // namespace dlscope::core
