#include "core/devices/cuda_entries.h"

#include <dlfcn.h>

namespace dlscope::core {
namespace {

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool look_up_cuda_entries(void* library, CudaEntries& e) {
  const auto find = [library](const char* name, auto& function) { return look_up(library, name, function); };
  return find("cuInit", e.init) && find("cuGetErrorName", e.get_error_name) && find("cuDriverGetVersion", e.driver_get_version) &&
         find("cuDeviceGetCount", e.device_get_count) && find("cuDeviceGet", e.device_get) &&
         find("cuDeviceGetName", e.device_get_name) && find("cuDeviceTotalMem_v2", e.device_total_mem) &&
         find("cuDevicePrimaryCtxGetState", e.primary_context_state) &&
         find("cuDevicePrimaryCtxRetain", e.primary_context_retain) &&
         find("cuDevicePrimaryCtxRelease_v2", e.primary_context_release) && find("cuCtxPushCurrent_v2", e.context_push) &&
         find("cuCtxPopCurrent_v2", e.context_pop) && find("cuMemGetInfo_v2", e.memory_info) &&
         find("cuCtxSynchronize", e.context_synchronize) &&
         find("cuPointerGetAttributes", e.pointer_attributes) && find("cuMemHostAlloc", e.pinned_allocate) &&
         find("cuMemFreeHost", e.pinned_free) && find("cuMemcpyDtoHAsync_v2", e.copy_to_host) &&
         find("cuMemcpyHtoDAsync_v2", e.copy_to_device) && find("cuMemcpy2DAsync_v2", e.copy_rows) &&
         find("cuStreamCreate", e.stream_create) && find("cuStreamDestroy_v2", e.stream_destroy) &&
         find("cuStreamSynchronize", e.stream_synchronize) && find("cuStreamQuery", e.stream_query) &&
         find("cuStreamGetFlags", e.stream_flags) && find("cuStreamIsCapturing", e.stream_is_capturing) &&
         find("cuStreamWaitEvent", e.stream_wait_event) &&
         find("cuEventCreate", e.event_create) && find("cuEventDestroy_v2", e.event_destroy) &&
         find("cuEventRecord", e.event_record) && find("cuEventSynchronize", e.event_synchronize) &&
         find("cuThreadExchangeStreamCaptureMode", e.exchange_capture_mode) && find("cuMemAlloc_v2", e.device_allocate) &&
         find("cuMemAllocManaged", e.managed_allocate) && find("cuMemFree_v2", e.device_free) &&
         find("cuMemcpyDtoDAsync_v2", e.copy_on_device) && find("cuMemcpyPeerAsync", e.copy_to_peer) &&
         find("cuMemsetD8Async", e.set_bytes) && find("cuModuleLoadData", e.module_load) &&
         find("cuModuleUnload", e.module_unload) && find("cuModuleGetFunction", e.module_function) &&
         find("cuLaunchKernel", e.launch);
}

}  // namespace dlscope::core
