// The functions that run on the device, by the names that CudaKernels looks up. What they compute stands in the headers beside this,
// where it is tested on the host as well.
#include <cstdint>

#include "core/devices/kernels/gather.h"
#include "core/devices/kernels/item_copy.h"

using namespace dlscope::core::kernels;

namespace {

template <class Item, class Index>
__device__ void copy_items(const ItemCopy& copy) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < copy.items; i += step) {
    const ItemPlaces at = places_of_item<Index>(copy, static_cast<Index>(i));
    *reinterpret_cast<Item*>(at.to) = *reinterpret_cast<const Item*>(at.from);
  }
}

}  // namespace

#define DLSCOPE_COPY_KERNELS(name, Item)                                                                                        \
  extern "C" __global__ void dlscope_copy_##name(const __grid_constant__ ItemCopy copy) { copy_items<Item, std::uint64_t>(copy); } \
  extern "C" __global__ void dlscope_copy_##name##_few(const __grid_constant__ ItemCopy copy) { copy_items<Item, std::uint32_t>(copy); }

DLSCOPE_COPY_KERNELS(1, std::uint8_t)
DLSCOPE_COPY_KERNELS(2, std::uint16_t)
DLSCOPE_COPY_KERNELS(4, std::uint32_t)
DLSCOPE_COPY_KERNELS(8, std::uint64_t)
DLSCOPE_COPY_KERNELS(16, Bytes16)

extern "C" __global__ void dlscope_gather(const __grid_constant__ Gather gather) {
  const std::uint64_t bytes = gather.pieces * gather.each, step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const auto* const addresses = reinterpret_cast<const std::uint64_t*>(gather.addresses);
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    reinterpret_cast<std::uint8_t*>(gather.to)[i] = *reinterpret_cast<const std::uint8_t*>(place_of_byte(gather, addresses, i));
}
