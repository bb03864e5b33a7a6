// Flag bits of a DLPack struct that DLPack 1.3 does not define, as text of the remark `unknown_flags` and back. thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::core {

// "flags 0x100"
[[nodiscard]] std::string unknown_flags_text(std::uint64_t bits);
// The bits of such a text; 0: it is none.
[[nodiscard]] std::uint64_t flags_in_text(std::string_view text);

}  // namespace dlscope::core
