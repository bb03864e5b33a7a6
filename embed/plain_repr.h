// repr() of a value, where that runs no user code: only for exact builtins and containers of these.
// thread: GIL held. Leaves no exception set.
#pragma once

#include <optional>
#include <string>

#include "embed/python_api.h"

namespace dlscope::embed {

struct ReprLimits {
  Py_ssize_t longest_text = 200;  // nesting of tuples and lists
  Py_ssize_t most_items = 16;     // of a tuple or a list
  int deepest = 4;                // tuples and lists in each other
};

// repr(value); nullopt for a value of any other class, at whatever depth, or one over the limits.
[[nodiscard]] std::optional<std::string> plain_repr(PyObject* value, const ReprLimits& limits = {});

}  // namespace dlscope::embed
