// Which build this is. Viewer and host compare ids before they trust each other's messages.
#pragma once

namespace dlscope::core {

// The project's version, "0.1.0". Static storage.
[[nodiscard]] const char* version();

// Version and a hash of the sources. Equal ids mean the same wire format and the same record layouts. Static storage.
[[nodiscard]] const char* build_id();

}  // namespace dlscope::core
