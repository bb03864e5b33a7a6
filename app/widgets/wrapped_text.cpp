#include "app/widgets/wrapped_text.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_blank(char c) { return kBlanks.contains(c); }

}  // namespace

WrappedText::WrappedText(std::string_view text, float width) {
  while (true) {
    const std::size_t end = text.find('\n');
    append_broken(text.substr(0, end), width);
    if (end == std::string_view::npos) return;
    text_.push_back('\n');
    text.remove_prefix(end + 1);
  }
}

// One line of the source.
void WrappedText::append_broken(std::string_view line, float width) {
  ImFont* const font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  while (!line.empty()) {
    const char* const end = line.data() + line.size();
    auto length = static_cast<std::size_t>(font->CalcWordWrapPosition(size, line.data(), end, width) - line.data());
    length = std::clamp<std::size_t>(length, 1, line.size());
    if (length < line.size() && !is_blank(line[length]) && !is_blank(line[length - 1])) {
      const std::size_t blank = line.substr(0, length).find_last_of(kBlanks);
      if (blank != std::string_view::npos && line.find_first_not_of(kBlanks) < blank) length = blank;
    }
    append(line.substr(0, length));
    const std::size_t next = std::min(line.find_first_not_of(kBlanks, length), line.size());
    line.remove_prefix(next);
    if (!line.empty()) text_.push_back('\n');
  }
}

bool may_break_in_word(std::string_view text) {
  constexpr std::string_view kSigns = ".,;!?\"";
  for (std::size_t at = text.find_first_of(kSigns); at < text.size(); at = text.find_first_of(kSigns, at + 1)) {
    const bool ends_word = at + 1 == text.size() || is_blank(text[at + 1]) || text[at + 1] == '\n';
    if (!ends_word && !kSigns.contains(text[at + 1])) return true;
  }
  return false;
}

void draw_paragraph(std::string_view text, float width) {
  if (may_break_in_word(text)) return draw_text(WrappedText(text, std::max(width, 1.0F)).view());
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(width, 1.0F));
  draw_text(text);
  ImGui::PopTextWrapPos();
}

}  // namespace dlscope::app
