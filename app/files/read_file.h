// A whole file of text as bytes.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace dlscope::app {

inline constexpr std::uint64_t kMostTextBytes = 16u << 20;

// Fails with words on what is not a plain file, on files over kMostTextBytes, on NUL bytes (binary data). Never waits for
// the other end of a FIFO.
[[nodiscard]] core::Result<std::string> read_text_file(const std::string& path);

}  // namespace dlscope::app
