// Addresses as a person types them. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/address.h"

namespace dlscope::app {

// Without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// "0x55812e404a80", also with spaces, underscores or apostrophes between its digits.
[[nodiscard]] std::optional<core::Address> parse_address(std::string_view text);
// The same, or a decimal number, also with underscores.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace dlscope::app
