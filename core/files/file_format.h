// The file formats that tensors can be exported to.
#pragma once

#include <cstdint>

namespace dlscope::core {

enum class TensorFileFormat : std::uint8_t { npy, safetensors, csv };

}  // namespace dlscope::core
