// The bytes of a tensor that dlscope holds on a CUDA device, brought to the host by the driver.
// thread: any; needs no GIL.
#pragma once

#include <cstddef>

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

[[nodiscard]] bool is_on_cuda_device(const HeldTensor& tensor);

// Copies the elements of `from` to `bytes`, laid out as `to`: same shape, dtype and item size. The driver is asked first whether the
// memory is where its producer says; what the program put on the default stream before is waited for (on all streams, where its producer was asked for none). Fails in words.
[[nodiscard]] core::Result<void> bring_from_device(const HeldTensor& from, const HeldTensor& to, std::byte* bytes);

}  // namespace dlscope::embed
