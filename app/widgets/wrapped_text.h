// Lines of a paragraph. Dear ImGui breaks also behind a dot, so that a line ended with "pictures." and the next began with "npy".
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

namespace dlscope::app {

// True when Dear ImGui may break this text inside a word, as in ".npy", "np.float32" or "a,b".
[[nodiscard]] bool may_break_in_word(std::string_view text);

// The lines of a paragraph of `width` pixels in the current font, one after the other: broken at blanks only, but for words that
// are wider. They are parts of the text: nothing is copied or allocated, however long it is.
class WrappedLines {
 public:
  WrappedLines(std::string_view text, float width) : rest_(text), width_(width) {}
  // nullopt: there are no more.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  [[nodiscard]] std::size_t length_of_first(std::string_view line) const;

  std::string_view rest_;
  float width_;
  bool ended_ = false;
};

// The size of such a paragraph, and the paragraph as one item in the present colour.
[[nodiscard]] ImVec2 wrapped_size(std::string_view text, float width);
void draw_wrapped_lines(std::string_view text, float width);

// Draws a paragraph in the present colour, broken by Dear ImGui where that does no harm.
void draw_paragraph(std::string_view text, float width);

}  // namespace dlscope::app
