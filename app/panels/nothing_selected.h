// What a panel about one tensor says while none is selected.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "app/panels/frame_context.h"

namespace dlscope::app {

// "Select a tensor, ..." and the sentence that it is made of: both are made when the program is built, none in each frame.
class NothingSelected {
 public:
  template <std::size_t kSize>
  consteval NothingSelected(const char (&will)[kSize]) : size_(kBegin.size() + kSize - 1) {  // NOLINT: of a literal
    std::ranges::copy(std::string_view(will), std::ranges::copy(kBegin, text_.begin()).out);
  }
  [[nodiscard]] std::string_view text(bool with_tensors) const {
    return std::string_view(text_.data(), size_).substr(with_tensors ? 0 : kBegin.size());
  }

 private:
  static constexpr std::string_view kBegin = "Select a tensor, in the table or in the memory map. ";
  std::array<char, 160> text_{};
  std::size_t size_;
};

// will: "The numbers of the selected tensor will be shown here." With tensors to choose from, that sentence would say neither that
// something is to be done nor where. The text is that of `will`: use it in the same expression.
[[nodiscard]] inline std::string_view nothing_selected(const FrameContext& context, const NothingSelected& will) {
  return will.text(context.has_tensors());
}

}  // namespace dlscope::app
