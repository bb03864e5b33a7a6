// A CUDA driver that needs no GPU: libcuda.so.1 as a test double, with the driver's own functions as far as dlscope and its tests
// call them, and the functions below, by which a test makes it fail and asks what became of everything.
//
// - Device memory lies at addresses of its own that no load reaches (PROT_NONE); behind each byte stands one of a shadow.
// - What is put on a stream happens only when somebody waits for it: who forgets to wait reads old bytes, every time.
// - Every function of the driver can be made to fail, at any call.
//
// Environment, read at the first call: FAKE_CUDA_DEVICES=2, FAKE_CUDA_VERSION=12040, FAKE_CUDA_PEERS=0,
// FAKE_CUDA_FAIL="cuMemHostAlloc=2,cuInit=999".
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The call that comes after `after` more of this function, and every later one, fails with `error` (CUresult). 0: no longer.
// entry "*": every function that needs a context, as when the context was lost.
void fake_cuda_fail(const char* entry, int error, int after);
// The call that comes after `after` more of this function creates the file `reached` and waits until the file `released` exists.
void fake_cuda_hold(const char* entry, int after, const char* reached, const char* released);
// How often a function of the driver was called.
int fake_cuda_calls(const char* entry);
// How many of these are there now: "allocation", "pinned", "stream", "event", "module", "retained" (primary contexts, counted), "pending"
// (operations that nobody has waited for), "current" (contexts that are current in the calling thread, one above the other); how often it happened: "pageable" (asynchronous copies from or to memory that is not
// pinned), "freed in use" (pinned memory freed while an operation on it was pending).
int fake_cuda_count(const char* what);
// A primary context on this device, as a program has one that uses it; the driver must be initialised.
void fake_cuda_activate(int device);
// kind: "device", "pinned" or "managed". Needs no context; 0: there is no room.
uint64_t fake_cuda_allocate(const char* kind, int device, size_t bytes);
// The host's memory behind an address on a device; NULL: not allocated.
void* fake_cuda_shadow(uint64_t device_address);
// As before the first call: not initialised, nothing allocated. Addresses do not come again.
void fake_cuda_reset(void);

#ifdef __cplusplus
}
#endif
