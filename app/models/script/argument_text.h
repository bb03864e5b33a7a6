// A script's arguments as one line of text, as in a shell: blanks part them, quotes and backslashes keep blanks together.
// Nothing is expanded: no variables, no patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

// Fails with words where a quote is not closed.
[[nodiscard]] core::Result<std::vector<std::string>> split_arguments(std::string_view text);
// The line that split_arguments() reads as these.
[[nodiscard]] std::string join_arguments(const std::vector<std::string>& arguments);

}  // namespace dlscope::app
