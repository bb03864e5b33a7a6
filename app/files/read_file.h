// Reads a whole text file as bytes.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace dlscope::app {

inline constexpr std::uint64_t kMaxTextBytes = 16u << 20;

// Fails with a message on what is not a regular file, on files over kMaxTextBytes, on NUL bytes (binary data). Never waits for
// the other end of a FIFO.
[[nodiscard]] core::Result<std::string> read_text_file(const std::string& path);

}  // namespace dlscope::app
