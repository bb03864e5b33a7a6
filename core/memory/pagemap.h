// What the kernel tells of a process's pages: the entries of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).
// thread: any.
#pragma once

#include <cstdint>

#include "core/base/address.h"

namespace dlscope::core {

// Flags of an entry. The last one is there from Linux 5.13 on.
inline constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kFileOrShared = std::uint64_t{1} << 61,
                               kWriteProtected = std::uint64_t{1} << 57;

enum class Pages : std::uint8_t { all, not_all, not_told };

// Whether of the flags `asked` of each page's entry exactly `wanted` are set. file: the open pagemap. range: not empty.
[[nodiscard]] Pages pages_in(int file, ByteRange range, std::uint64_t asked, std::uint64_t wanted);

}  // namespace dlscope::core
