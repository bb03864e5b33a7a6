// repr() of a value, where that runs no user code: only for exact builtins and containers of these.
// thread: GIL held. Leaves no exception set.
#pragma once

#include <optional>
#include <string>

#include "embed/python_api.h"

namespace dlscope::embed {

struct ReprLimits {
  Py_ssize_t longest_text = 200;  // of a str in characters, of a bytes in bytes
  Py_ssize_t most_items = 16;     // of a tuple or a list
  int deepest = 4;                // nesting of tuples and lists
};

// repr(value). nullopt: a value of another class, at any depth, or over the limits.
[[nodiscard]] std::optional<std::string> plain_repr(PyObject* value, const ReprLimits& limits = {});

}  // namespace dlscope::embed
