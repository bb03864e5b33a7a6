// Lines of a paragraph. Dear ImGui breaks also behind a dot, so that a line ended with "pictures." and the next began with "npy".
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace dlscope::app {

// True when Dear ImGui may break this text inside a word, as in ".npy", "np.float32" or "a,b".
[[nodiscard]] bool may_break_in_word(std::string_view text);

// A text with line breaks for a paragraph of `width` pixels in the current font: at blanks only, but for words that are wider. Made
// for one frame, on the stack.
class WrappedText {
 public:
  WrappedText(std::string_view text, float width);
  [[nodiscard]] std::string_view view() const { return {text_.data(), text_.size()}; }

 private:
  void append_broken(std::string_view line, float width);
  void append(std::string_view text) { text_.append(text.data(), text.data() + text.size()); }

  fmt::basic_memory_buffer<char, 1024> text_;  // longer ones move to the heap
};

// Draws such a paragraph in the present colour.
void draw_paragraph(std::string_view text, float width);

}  // namespace dlscope::app
