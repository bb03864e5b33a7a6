// A line of text built for one frame, on the stack: a frame that writes numbers does not allocate.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "core/base/append_format.h"

namespace dlscope::app {

class LineText {
 public:
  template <class... Parts>
  explicit LineText(fmt::format_string<Parts...> pattern, Parts&&... parts) {
    core::append_vformat(fmt::appender(text_), pattern, fmt::make_format_args(parts...));
    text_.push_back('\0');
  }
  [[nodiscard]] const char* c_str() const { return text_.data(); }
  [[nodiscard]] std::string_view view() const { return {text_.data(), text_.size() - 1}; }
  operator std::string_view() const { return view(); }

 private:
  fmt::basic_memory_buffer<char, 256> text_;  // longer lines move to the heap
};

}  // namespace dlscope::app
