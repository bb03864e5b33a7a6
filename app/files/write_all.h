// Writing to a descriptor until everything is out.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace dlscope::app {

// Blocks as long as the reader lets it. Fails (environment) with the system's words alone; a reader that went away is
// `cancelled`.
[[nodiscard]] core::Result<void> write_all(int fd, std::string_view text);

}  // namespace dlscope::app
