// Parses addresses typed by a person. No I/O.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/address.h"

namespace dlscope::app {

// Without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// "0x55812e404a80"; spaces, underscores or apostrophes may separate digits.
[[nodiscard]] std::optional<core::Address> parse_address(std::string_view text);
// An address as above, or a decimal number, with underscores allowed.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace dlscope::app
