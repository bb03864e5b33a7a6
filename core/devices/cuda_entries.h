// The CUDA driver's functions that dlscope calls. No CUDA header is needed: the driver's interface is stable, and these
// declarations repeat it (names, signatures and numbers of cuda.h 11 to 13).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::core {

using CudaContext = struct OpaqueCudaContext*;
using CudaStream = struct OpaqueCudaStream*;
using CudaEvent = struct OpaqueCudaEvent*;

// CUresult, as far as something depends on it; the others are told by their names.
inline constexpr int kCudaSuccess = 0, kCudaInvalidValue = 1, kCudaNotInitialised = 3, kCudaNoDevice = 100;

// CUDA_MEMCPY2D
struct CudaCopy2D {
  enum Memory : unsigned { host = 1, device = 2 };  // CUmemorytype
  std::size_t from_x = 0, from_y = 0;
  unsigned from_memory = 0;
  const void* from_host = nullptr;
  std::uint64_t from_device = 0;
  void* from_array = nullptr;
  std::size_t from_pitch = 0;
  std::size_t to_x = 0, to_y = 0;
  unsigned to_memory = 0;
  void* to_host = nullptr;
  std::uint64_t to_device = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0;
  std::size_t width = 0, height = 0;
};
static_assert(sizeof(CudaCopy2D) == 128);

// Each returns a CUresult.
struct CudaEntries {
  int (*init)(unsigned flags);
  int (*get_error_name)(int error, const char** name);
  int (*driver_get_version)(int* version);
  int (*device_get_count)(int* count);
  int (*device_get)(int* device, int ordinal);
  int (*device_get_name)(char* name, int size, int device);
  int (*device_total_mem)(std::size_t* bytes, int device);
  int (*primary_context_state)(int device, unsigned* flags, int* active);
  int (*primary_context_retain)(CudaContext* context, int device);
  int (*primary_context_release)(int device);
  int (*context_push)(CudaContext context);
  int (*context_pop)(CudaContext* context);
  int (*context_synchronize)();
  int (*memory_info)(std::size_t* free, std::size_t* total);
  int (*pointer_attributes)(unsigned count, int* attributes, void** data, std::uint64_t address);
  int (*pinned_allocate)(void** memory, std::size_t bytes, unsigned flags);
  int (*pinned_free)(void* memory);
  int (*copy_to_host)(void* to, std::uint64_t from, std::size_t bytes, CudaStream stream);
  int (*copy_to_device)(std::uint64_t to, const void* from, std::size_t bytes, CudaStream stream);
  int (*copy_rows)(const CudaCopy2D* copy, CudaStream stream);
  int (*stream_create)(CudaStream* stream, unsigned flags);
  int (*stream_destroy)(CudaStream stream);
  int (*stream_synchronize)(CudaStream stream);
  int (*stream_wait_event)(CudaStream stream, CudaEvent event, unsigned flags);
  int (*event_create)(CudaEvent* event, unsigned flags);
  int (*event_destroy)(CudaEvent event);
  int (*event_record)(CudaEvent event, CudaStream stream);
  int (*event_synchronize)(CudaEvent event);
  int (*exchange_capture_mode)(int* mode);
};

// False: the library lacks one of them.
[[nodiscard]] bool look_up_cuda_entries(void* library, CudaEntries& entries);

}  // namespace dlscope::core
