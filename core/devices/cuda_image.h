// The compiled code of kernels/kernels.cu (a fat binary) for every supported CUDA architecture; empty in a build without it
// (DLSCOPE_CUDA_KERNELS, cmake/cuda.cmake).
#pragma once

#include <cstddef>
#include <span>

namespace dlscope::core {

[[nodiscard]] std::span<const std::byte> cuda_image();

}  // namespace dlscope::core
