// Explains a library's refusal: why it refuses, and what the person can do. Only for known messages; for others there is no
// advice.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

struct RefusalAdvice {
  std::string_view reason;   // one sentence; "" when nothing is known
  std::string way_out;  // what to do instead; "" when there is nothing
};

// library: the module that owns the tensor; message: the text of whoever refused. expression: what the way out calls the tensor.
[[nodiscard]] RefusalAdvice advice_on(std::string_view library, std::string_view type, std::string_view message,
                                      std::string_view expression = "x");

}  // namespace dlscope::app
