// Texts as Python's repr() writes them, which the headers of .npy files have. Pure functions; thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscope::core {

// Takes the text at the beginning of `rest`, its quotes included, and decodes its escapes. nullopt: there is no text, it does not
// end, or has an escape that repr() does not write; `rest` then stays as it is.
[[nodiscard]] std::optional<std::string> take_python_text(std::string_view& rest);

// The UTF-8 of characters that have a byte each, which is what versions 1.0 and 2.0 of the .npy format are written in.
[[nodiscard]] std::string utf8_of_latin1(std::string_view text);

}  // namespace dlscope::core
