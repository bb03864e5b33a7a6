// A Python program with arrays on CUDA devices that are none: the fake driver (tests/core/devices/fake_cuda) is this process's
// libcuda.so.1 from the moment the program loads it by its path.
#pragma once

#include <string>

namespace dlscope::tests {

// device_array(values, ordinal=0, at=None): an object with __cuda_array_interface__ over float32 values on a device; `shadow(x)` writes
// and reads them as ctypes sees them.
[[nodiscard]] inline std::string cuda_program(const std::string& script) {
  return std::string(R"(import ctypes
driver = ctypes.CDLL(')") +
         DLSCOPE_FAKE_CUDA + R"(')
driver.fake_cuda_allocate.restype = driver.fake_cuda_shadow.restype = ctypes.c_void_p
driver.fake_cuda_allocate.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t]
driver.fake_cuda_shadow.argtypes = [ctypes.c_uint64]
assert driver.cuInit(0) == 0
driver.fake_cuda_activate(0)

class DeviceArray:
    def __init__(self, address, shape, strides=None):
        self.address, self.shape, self.strides = address, shape, strides
    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<f4", "data": (self.address, False), "strides": self.strides, "version": 3}

def shadow(x):
    return (ctypes.c_float * 1000000).from_address(driver.fake_cuda_shadow(x.address))

def device_array(values, shape=None, strides=None):
    values = list(values)
    x = DeviceArray(driver.fake_cuda_allocate(b"device", 0, 4 * len(values)), shape or (len(values),), strides)
    ctypes.memmove(driver.fake_cuda_shadow(x.address), (ctypes.c_float * len(values))(*values), 4 * len(values))
    return x

)" + script;
}

}  // namespace dlscope::tests
