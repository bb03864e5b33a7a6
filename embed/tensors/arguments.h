// Reads arguments that users write in many ways: a device, a dtype, a copy policy. What is not a plain name or tuple is read by
// dlscope/_spellings.py, which knows the libraries' objects.
// thread: GIL held. Returns false with a Python error set for an invalid value.
#pragma once

#include <optional>

#include "core/tensor/device_id.h"
#include "core/tensor/dtype.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// None: nullopt. "cpu", "cuda:1", (2, 1), (DLDeviceType.kDLCUDA, 1), torch.device("cuda"), ...
[[nodiscard]] bool read_device(PyObject* value, std::optional<core::DeviceId>& out);
// None: nullopt. "float32", numpy.float32, torch.bfloat16, (code, bits, lanes), ...
[[nodiscard]] bool read_dtype(PyObject* value, std::optional<core::DType>& out);
// True or False only: the text 'no' would be true. name: the keyword's.
[[nodiscard]] bool read_flag(PyObject* value, const char* name, bool& out);
// None, True or False only.
[[nodiscard]] bool read_copy(PyObject* value, std::optional<bool>& out);

}  // namespace dlscope::embed
