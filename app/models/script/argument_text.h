// A script's arguments as one line of text, as in a shell: blanks separate them, quotes and backslashes protect blanks. Nothing
// is expanded: no variables, no patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

// Fails (with a message) when a quote is not closed.
[[nodiscard]] core::Result<std::vector<std::string>> split_arguments(std::string_view text);
// The inverse of split_arguments().
[[nodiscard]] std::string join_arguments(const std::vector<std::string>& arguments);

}  // namespace dlscope::app
