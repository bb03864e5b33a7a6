// The functions that users call: describe, report, overlap, shares_memory, stats, protocols.
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

// The method table, ended by an all-zero entry; static storage.
[[nodiscard]] PyMethodDef* user_methods();

}  // namespace dlscope::embed
