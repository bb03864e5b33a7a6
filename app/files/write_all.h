// Writes all of a text to a descriptor.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace dlscope::app {

// Blocks as long as the reader does not read. Fails (environment) with the system's message alone; `cancelled`: the reader has
// closed its end.
[[nodiscard]] core::Result<void> write_all(int fd, std::string_view text);

}  // namespace dlscope::app
