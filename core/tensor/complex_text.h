// The two parts of a complex number that was typed as Python writes it. Pure function; thread: any.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::core {

// The text of each part; neither is checked to be a number. "1+2j": "1", "+2"; "-2.5j": "0", "-2.5"; "3": "3", "0"; "j": "0", "1".
// Parentheses around it, and spaces around a part, are left out.
struct ComplexText {
  std::string real, imaginary;
};
[[nodiscard]] ComplexText split_complex(std::string_view text);

}  // namespace dlscope::core
