// Converts JSON text to Python objects: the module's dictionaries are made from the report's text, so the two cannot differ.
#pragma once

#include <string_view>

#include "embed/py_ref.h"

namespace dlscope::embed {

// thread: GIL held. Empty with a Python error set: the text is not JSON, or memory ran out.
[[nodiscard]] PyRef python_from_json(std::string_view json);

}  // namespace dlscope::embed
