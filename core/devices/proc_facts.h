// Parses what /proc says about the CPU and the memory. thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlscope::core {

// The model's name in the text of /proc/cpuinfo; "" when it has none (some ARM kernels).
[[nodiscard]] std::string cpu_name_in(std::string_view cpuinfo);
// The bytes of a line such as "MemTotal:  16 kB" in the text of /proc/meminfo.
[[nodiscard]] std::optional<std::uint64_t> memory_in(std::string_view meminfo, std::string_view name);

}  // namespace dlscope::core
