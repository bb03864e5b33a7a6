// JSON text to Python objects, so that the module's dictionaries are the report's text and not a second opinion.
#pragma once

#include <string_view>

#include "embed/py_ref.h"

namespace dlscope::embed {

// thread: GIL held. Empty with a Python error set when the text is no JSON or memory ran out.
[[nodiscard]] PyRef python_from_json(std::string_view json);

}  // namespace dlscope::embed
