// What is known about a library's refusal: why it says no, and what the person can do. Nothing is made up: where the
// words are not known there is no advice.
#pragma once

#include <string_view>

namespace dlscope::app {

struct RefusalAdvice {
  std::string_view reason;   // one sentence; "" when nothing is known
  std::string_view way_out;  // what to write instead; "" when there is none
};

// library: the module that owns the tensor; message: its own words.
[[nodiscard]] RefusalAdvice advice_on(std::string_view library, std::string_view type, std::string_view message);

}  // namespace dlscope::app
