#include "core/devices/cuda_image.h"

#ifdef DLSCOPE_CUDA_IMAGE

// The file that nvcc wrote, unchanged; the driver requires an alignment of eight bytes.
asm(R"(
  .pushsection .rodata
  .balign 16
  .hidden dlscope_cuda_image
  .hidden dlscope_cuda_image_end
dlscope_cuda_image:
  .incbin ")" DLSCOPE_CUDA_IMAGE R"("
dlscope_cuda_image_end:
  .popsection
)");

extern "C" const std::byte dlscope_cuda_image[], dlscope_cuda_image_end[];

namespace dlscope::core {
std::span<const std::byte> cuda_image() { return {dlscope_cuda_image, dlscope_cuda_image_end}; }
}  // namespace dlscope::core

#else

namespace dlscope::core {
std::span<const std::byte> cuda_image() { return {}; }
}  // namespace dlscope::core

#endif
