// Whether CUDA devices can reach each other's memory.
// thread: any.
#pragma once

#include "core/base/result.h"
#include "core/devices/cuda_driver.h"

namespace dlscope::core {

// Whether a device can reach the memory of another one without the host. Needs no context. That it may is the program's to enable
// (cuCtxEnablePeerAccess); dlscope does not, because a program that does it later gets an error for the second time.
[[nodiscard]] Result<bool> can_access_peer(const CudaDriver& driver, int ordinal, int peer);

}  // namespace dlscope::core
