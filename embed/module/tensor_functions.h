// The functions that hand tensors over: from_dlpack, asdlpack, copy, contiguous.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

// The method table, ended by an all-zero entry; static storage.
[[nodiscard]] PyMethodDef* tensor_methods();

}  // namespace dlscope::embed
