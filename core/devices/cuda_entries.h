// The functions of the CUDA driver API that dlscope calls. Declared here because the driver's ABI is stable, so that no CUDA
// header is needed (signatures and numbers are those of cuda.h 11 to 13).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::core {

using CudaContext = struct OpaqueCudaContext*;
using CudaStream = struct OpaqueCudaStream*;
using CudaEvent = struct OpaqueCudaEvent*;
using CudaModule = struct OpaqueCudaModule*;
using CudaFunction = struct OpaqueCudaFunction*;

// The CUresult values that the code tests; other errors are only shown by name.
inline constexpr int kCudaSuccess = 0, kCudaInvalidValue = 1, kCudaOutOfMemory = 2, kCudaNotInitialised = 3, kCudaNoDevice = 100,
                     kCudaNotReady = 600, kCudaStreamCaptureImplicit = 906;

// The handle of the legacy default stream (CU_STREAM_LEGACY).
// __dlpack__(stream=1) makes the producer order its work before this stream.
inline CudaStream const kCudaLegacyStream = reinterpret_cast<CudaStream>(std::uintptr_t{1});

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
  int (*device_allocate)(std::uint64_t* address, std::size_t bytes);
  int (*managed_allocate)(std::uint64_t* address, std::size_t bytes, unsigned flags);
  int (*device_free)(std::uint64_t address);  // also managed memory; blocks until the memory is no longer used
  int (*copy_to_host)(void* to, std::uint64_t from, std::size_t bytes, CudaStream stream);
  int (*copy_to_device)(std::uint64_t to, const void* from, std::size_t bytes, CudaStream stream);
  int (*copy_rows)(const CudaCopy2D* copy, CudaStream stream);
  int (*copy_on_device)(std::uint64_t to, std::uint64_t from, std::size_t bytes, CudaStream stream);
  int (*copy_to_peer)(std::uint64_t to, CudaContext to_context, std::uint64_t from, CudaContext from_context, std::size_t bytes,
                      CudaStream stream);
  int (*set_bytes)(std::uint64_t to, unsigned char value, std::size_t bytes, CudaStream stream);
  int (*stream_create)(CudaStream* stream, unsigned flags);
  int (*stream_destroy)(CudaStream stream);
  int (*stream_synchronize)(CudaStream stream);
  int (*stream_query)(CudaStream stream);
  int (*stream_flags)(CudaStream stream, unsigned* flags);
  int (*stream_is_capturing)(CudaStream stream, int* status);
  int (*stream_wait_event)(CudaStream stream, CudaEvent event, unsigned flags);
  int (*event_create)(CudaEvent* event, unsigned flags);
  int (*event_destroy)(CudaEvent event);
  int (*event_record)(CudaEvent event, CudaStream stream);
  int (*event_synchronize)(CudaEvent event);
  int (*exchange_capture_mode)(int* mode);
  int (*module_load)(CudaModule* module, const void* image);
  int (*module_unload)(CudaModule module);
  int (*module_function)(CudaFunction* function, CudaModule module, const char* name);
  int (*launch)(CudaFunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CudaStream stream, void** parameters,
                void** extra);
};

// False: the library lacks one of them.
[[nodiscard]] bool look_up_cuda_entries(void* library, CudaEntries& entries);

}  // namespace dlscope::core
