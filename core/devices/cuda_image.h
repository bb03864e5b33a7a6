// The compiled code of kernels/kernels.cu for every kind of CUDA device that is supported; empty in a build without it
// (DLSCOPE_CUDA_KERNELS, cmake/cuda.cmake).
#pragma once

#include <cstddef>
#include <span>

namespace dlscope::core {

[[nodiscard]] std::span<const std::byte> cuda_image();

}  // namespace dlscope::core
