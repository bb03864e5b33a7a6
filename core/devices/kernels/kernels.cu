// The functions that run on the device, under the names that CudaKernels looks up. What they compute is defined in the headers in
// this folder, which are also compiled and tested on the host.
#include <cstdint>

#include "core/devices/kernels/block_scan.h"
#include "core/devices/kernels/gather.h"
#include "core/devices/kernels/item_copy.h"

// Not an anonymous namespace: nvcc derives its name from the path of this file, so that builds would not be reproducible.
namespace dlscope::core::kernels {

template <class Item, class Index>
__device__ void copy_items(const ItemCopy& copy) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < copy.items; i += step) {
    const ItemPlaces at = places_of_item<Index>(copy, static_cast<Index>(i));
    *reinterpret_cast<Item*>(at.to) = *reinterpret_cast<const Item*>(at.from);
  }
}

// Counts of one thread block, in 32 bits, because no launch gives a block more values: the bins with `below` and `above` at the
// two ends, or how often each byte value occurs.
using SharedCounts = unsigned[kScanBins + 2];

template <ScanType type>
__device__ Scanned value_at(const BlockScan& scan, std::uint64_t place) {
  return scanned(
      type, bits_at(type, reinterpret_cast<const void*>(scan.base + static_cast<std::uint64_t>(offset_of_place(scan, place)))));
}

template <ScanType type>
__device__ void scan_block(const BlockScan& scan, std::uint64_t block, Partial* partials, unsigned* counts) {
  const unsigned thread = threadIdx.x;
  const std::uint64_t first = scan.first_place + block * scan.block_values;
  const std::uint64_t left = scan.places - block * scan.block_values;
  const std::uint64_t values = left < scan.block_values ? left : scan.block_values;
  const Scanned shift = shift_of(value_at<type>(scan, first));
  Partial partial;
  for (std::uint64_t i = thread; i < values; i += kScanThreads) add(partial, type, value_at<type>(scan, first + i), shift);
  partials[thread] = partial;
  for (unsigned half = kScanThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) combine(partials[thread], partials[thread + half]);
  }
  __shared__ unsigned plain;
  if (thread == 0) {
    const BlockAnswer answer = answer_of(partials[0], scan, shift);
    reinterpret_cast<BlockAnswer*>(scan.answers)[block] = answer;
    plain = answer.plain;
  }
  __syncthreads();
  if (plain == 0) return;
  if (scan.codes != 0) {
    for (std::uint64_t i = thread; i < values; i += kScanThreads) {
      const std::uint64_t at = scan.base + static_cast<std::uint64_t>(offset_of_place(scan, first + i));
      const std::uint64_t code = bits_at(type, reinterpret_cast<const void*>(at));
      if (bytes_of(type) == 1)
        atomicAdd(&counts[code], 1u);
      else
        atomicAdd(reinterpret_cast<unsigned long long*>(scan.codes) + code, 1ull);
    }
  }
  if (scan.bins == 0) return;
  for (std::uint64_t i = thread; i < values; i += kScanThreads)
    atomicAdd(&counts[bin_of(scan, value_at<type>(scan, first + i)) + 1], 1u);
}

template <ScanType type>
__device__ void scan_blocks(const BlockScan& scan) {
  __shared__ Partial partials[kScanThreads];
  __shared__ SharedCounts counts;
  for (unsigned i = threadIdx.x; i < kScanBins + 2; i += kScanThreads) counts[i] = 0;
  for (std::uint64_t block = blockIdx.x; block < scan.blocks; block += gridDim.x) {
    __syncthreads();  // all threads have finished the previous block and its shared data
    scan_block<type>(scan, block, partials, counts);
  }
  __syncthreads();
  if (scan.codes != 0 && bytes_of(type) == 1) {
    for (unsigned i = threadIdx.x; i < 256; i += kScanThreads) {
      if (counts[i] != 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(scan.codes) + i, static_cast<unsigned long long>(counts[i]));
    }
  }
  if (scan.bins == 0) return;
  auto* const out = reinterpret_cast<BinCounts*>(scan.bins);
  for (unsigned i = threadIdx.x; i < kScanBins + 2; i += kScanThreads) {
    std::uint64_t* const to = i == 0 ? &out->below : i == kScanBins + 1 ? &out->above : &out->bins[i - 1];
    if (counts[i] != 0) atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(counts[i]));
  }
}

}  // namespace dlscope::core::kernels

using namespace dlscope::core::kernels;

#define DLSCOPE_SCAN_KERNEL(name) \
  extern "C" __global__ void dlscope_scan_##name(const __grid_constant__ BlockScan scan) { scan_blocks<ScanType::name>(scan); }
DLSCOPE_SCAN_KERNEL(f16)
DLSCOPE_SCAN_KERNEL(bf16)
DLSCOPE_SCAN_KERNEL(f32)
DLSCOPE_SCAN_KERNEL(f64)
DLSCOPE_SCAN_KERNEL(i8)
DLSCOPE_SCAN_KERNEL(i16)
DLSCOPE_SCAN_KERNEL(i32)
DLSCOPE_SCAN_KERNEL(i64)
DLSCOPE_SCAN_KERNEL(u8)
DLSCOPE_SCAN_KERNEL(u16)
DLSCOPE_SCAN_KERNEL(u32)
DLSCOPE_SCAN_KERNEL(u64)
DLSCOPE_SCAN_KERNEL(boolean)

#define DLSCOPE_COPY_KERNELS(name, Item)                                                        \
  extern "C" __global__ void dlscope_copy_##name(const __grid_constant__ ItemCopy copy) {       \
    copy_items<Item, std::uint64_t>(copy);                                                      \
  }                                                                                             \
  extern "C" __global__ void dlscope_copy_##name##_few(const __grid_constant__ ItemCopy copy) { \
    copy_items<Item, std::uint32_t>(copy);                                                      \
  }

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
