#include "app/widgets/wrapped_text.h"

#include <imgui_internal.h>

#include <algorithm>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_blank(char c) { return kBlanks.contains(c); }

}  // namespace

std::optional<std::string_view> WrappedLines::next() {
  if (ended_) return std::nullopt;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  const std::size_t length = line.empty() ? 0 : length_of_first(line);
  const std::size_t following = std::min(line.find_first_not_of(kBlanks, length), line.size());
  if (following < line.size()) {
    rest_.remove_prefix(following);
  } else {
    ended_ = end + 1 >= rest_.size();  // a line break at the end begins no line
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }
  return line.substr(0, length);
}

// How much of a line of the source stands on one line.
std::size_t WrappedLines::length_of_first(std::string_view line) const {
  const char* const end = line.data() + line.size();
  const char* const broken = ImGui::GetFont()->CalcWordWrapPosition(ImGui::GetFontSize(), line.data(), end, width_);
  const std::size_t length = std::clamp<std::size_t>(static_cast<std::size_t>(broken - line.data()), 1, line.size());
  if (length == line.size() || is_blank(line[length]) || is_blank(line[length - 1])) return length;
  const std::size_t blank = line.substr(0, length).find_last_of(kBlanks);
  return blank != std::string_view::npos && line.find_first_not_of(kBlanks) < blank ? blank : length;
}

ImVec2 wrapped_size(std::string_view text, float width) {
  ImVec2 size;
  for (WrappedLines lines(text, width); const auto line = lines.next(); size.y += ImGui::GetTextLineHeight())
    size.x = std::max(size.x, text_width(*line));
  return size;
}

void draw_wrapped_lines(std::string_view text, float width) {
  const ImGuiWindow* const window = ImGui::GetCurrentWindow();
  if (window->SkipItems) return;
  const ImVec2 from(window->DC.CursorPos.x, window->DC.CursorPos.y + window->DC.CurrLineTextBaseOffset);
  const ImVec2 size = wrapped_size(text, width);
  ImGui::ItemSize(size, 0);
  if (!ImGui::ItemAdd({from, {from.x + size.x, from.y + size.y}}, 0)) return;
  ImVec2 at = from;
  for (WrappedLines lines(text, width); const auto line = lines.next(); at.y += ImGui::GetTextLineHeight())
    ImGui::RenderText(at, line->data(), line->data() + line->size(), false);
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
  if (may_break_in_word(text)) return draw_wrapped_lines(text, std::max(width, 1.0F));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(width, 1.0F));
  draw_text(text);
  ImGui::PopTextWrapPos();
}

}  // namespace dlscope::app
