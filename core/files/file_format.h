// The formats in which tensors are written.
#pragma once

#include <cstdint>

namespace dlscope::core {

enum class TensorFileFormat : std::uint8_t { npy, safetensors, csv };

}  // namespace dlscope::core
