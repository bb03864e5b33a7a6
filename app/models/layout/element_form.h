// What the cells of a layout picture say of their elements: one form for all. Each in the longest form that it has room for, "[0, 9]"
// would stand beside the 10 of "[0, 10]", and where one digit has room the tape of a transposed array would read 0 4 8 1 5 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

enum class ElementForm : std::uint8_t { index, number, none };  // "[0, 4]"; 4, in C order; nothing

// The longest form in which each of `elements` has at most `most` characters.
[[nodiscard]] ElementForm element_form(core::LayoutView layout, std::uint64_t elements, std::size_t most);
[[nodiscard]] std::string element_text(ElementForm form, core::LayoutView layout, std::uint64_t element);  // "" for none

}  // namespace dlscope::app
