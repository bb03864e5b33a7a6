// The functions a user calls: describe, report, overlap, shares_memory, stats, protocols (design.md section 4).
#pragma once

#include "embed/python_api.h"

namespace dlscope::embed {

// Table ended by an all-zero entry, static storage.
[[nodiscard]] PyMethodDef* user_methods();

}  // namespace dlscope::embed
