// append_format: appends formatted text to a string. fmt::format_to would instantiate fmt's formatting code in every source file
// that calls it, three seconds of compile time each; here it is instantiated once, in append_format.cpp.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace dlscope::core {

void append_vformat(std::string& out, fmt::string_view pattern, fmt::format_args parts);
void append_vformat(fmt::appender out, fmt::string_view pattern, fmt::format_args parts);  // to a fmt::memory_buffer

template <class... Parts>
void append_format(std::string& out, fmt::format_string<Parts...> pattern, Parts&&... parts) {
  append_vformat(out, pattern, fmt::make_format_args(parts...));
}

// 48 -> "48 B", 1572864 -> "1.5 MiB".
void append_human_bytes(std::string& out, std::uint64_t bytes);

}  // namespace dlscope::core
