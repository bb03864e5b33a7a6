#include "app/widgets/marks.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/widgets/line_text.h"
#include "app/widgets/tooltip.h"
#include "app/widgets/wrapped_text.h"

namespace dlscope::app {
namespace {

constexpr float kStaleAlpha = 0.6F;
constexpr float kMinPatterned = 1.9F;  // steps of the pattern: in narrower bars it is not recognisable

// One for all panels, like Dear ImGui's hovered item; belongs to a frame.
struct Meaning {
  int frame = -1;
  std::string text;
};
Meaning meaning;

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::clamp(alpha, 0.0F, 1.0F) * 255.0F);
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

void lines_across(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float step) {
  for (float y = std::floor(from.y) + step * 0.5F; y < to.y; y += step) list->AddLine({from.x, y}, {to.x, y}, colour);
}

void dots(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float step) {
  constexpr int kMax = 400;
  int drawn = 0;
  for (float y = from.y + step * 0.5F; y < to.y && drawn < kMax; y += step) {
    for (float x = from.x + step * 0.5F; x < to.x && drawn < kMax; x += step, ++drawn) {
      list->AddRectFilled({x - 1, y - 1}, {x + 1, y + 1}, colour);
    }
  }
}

}  // namespace

// Cuts the lines to the rectangle itself: clipping would cost a draw command per rectangle.
void hatch(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float step) {
  const float height = to.y - from.y;
  if (height <= 0 || to.x <= from.x) return;
  for (float x = from.x - height; x < to.x; x += step) {
    const float left = std::max(x, from.x), right = std::min(x + height, to.x);
    if (right - left >= 1) list->AddLine({left, to.y - (left - x)}, {right, to.y - (right - x)}, colour);
  }
}

void fill_group(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, std::uint32_t colour, float alpha) {
  const float step = std::max(4.0F, ImGui::GetFontSize() * 0.35F);
  if (colour == core::kNone32) {
    hatch(list, from, to, with_alpha(ImGui::GetColorU32(theme.unknown), 0.7F), step);
    return;
  }
  const ImU32 fill = group_colour(theme, colour);
  list->AddRectFilled(from, to, with_alpha(fill, alpha));
  const std::uint32_t pattern = (colour / kGroupColours) % 4;
  if (pattern == 0 || to.x - from.x < step * kMinPatterned) return;
  const ImU32 ink = with_alpha(text_on(fill), 0.35F * alpha);
  if (pattern == 1)
    hatch(list, from, to, ink, step);
  else if (pattern == 2)
    lines_across(list, from, to, ink, step);
  else
    dots(list, from, to, ink, step);
}

void group_swatch(const Theme& theme, std::uint32_t colour, bool stale) {
  const float side = std::floor(ImGui::GetFontSize() * 0.72F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 from{at.x, std::floor(at.y + (ImGui::GetTextLineHeight() - side) * 0.5F)};
  const ImVec2 to{from.x + side, from.y + side};
  fill_group(ImGui::GetWindowDrawList(), from, to, theme, colour, stale ? kStaleAlpha : 1.0F);
  if (stale) hatch(ImGui::GetWindowDrawList(), from, to, ImGui::GetColorU32(theme.panel), std::max(3.0F, side * 0.4F));
  ImGui::Dummy({side, ImGui::GetTextLineHeight()});
}

void badge_chip(const Theme& theme, std::string_view text, Tone tone) {
  const float pad = std::floor(ImGui::GetFontSize() * 0.33F);
  const char *begin = text.data(), *end = text.data() + text.size();
  const ImVec2 size = ImGui::CalcTextSize(begin, end);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec4 ink = tone_colour(theme, tone);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 to{at.x + size.x + pad * 2, at.y + ImGui::GetTextLineHeight()};
  const float rounding = pad;
  list->AddRectFilled(at, to, ImGui::GetColorU32({ink.x, ink.y, ink.z, 0.13F}), rounding);
  if (tone == Tone::unknown) hatch(list, at, to, ImGui::GetColorU32({ink.x, ink.y, ink.z, 0.3F}), pad);
  list->AddRect(at, to, ImGui::GetColorU32({ink.x, ink.y, ink.z, 0.45F}), rounding);
  list->AddText({at.x + pad, at.y}, ImGui::GetColorU32(tone == Tone::plain ? theme.text : ink), begin, end);
  ImGui::Dummy({to.x - at.x, to.y - at.y});
}

void badge_chip(const Theme& theme, const Badge& badge) {
  badge_chip(theme, badge.text, badge.tone);
  explain(badge.meaning);
}

void note_meaning(std::string_view text) {
  if (text.empty()) return;
  meaning.frame = ImGui::GetFrameCount();
  meaning.text = text;
}

std::string_view meaning_under_mouse() {
  return meaning.frame == ImGui::GetFrameCount() ? std::string_view(meaning.text) : std::string_view();
}

void explain(std::string_view text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  note_meaning(text);
  if (tooltip_is_due()) show_tooltip(text);
}

void copyable(std::string_view text, const std::string& copy, const char* id) {
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ImGui::SetClipboardText(copy.c_str());
  if (ImGui::BeginPopupContextItem(id)) {
    if (ImGui::MenuItem("Copy")) ImGui::SetClipboardText(copy.c_str());
    ImGui::EndPopup();
  }
}

void same_line_for(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

float button_width(const char* label) { return ImGui::CalcTextSize(label).x + ImGui::GetStyle().FramePadding.x * 2; }

std::string_view first_that_fits(std::initializer_list<std::string_view> wordings, float room) {
  for (const std::string_view text : wordings) {
    if (text_width(text) <= room) return text;
  }
  return wordings.size() > 0 ? *(wordings.end() - 1) : std::string_view();
}

bool small_button(const char* label) {
  const float below = std::max(1.0F, std::round(ImGui::GetFontSize() * 0.07F));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, below});
  const bool pressed = ImGui::ButtonEx(label, {0, 0}, ImGuiButtonFlags_AlignTextBaseLine);
  ImGui::PopStyleVar();
  return pressed;
}

float text_width(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

void draw_text(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void draw_text(std::string_view text, const ImVec4& colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  draw_text(text);
  ImGui::PopStyleColor();
}

void draw_text(const CutText& text, const ImVec4& colour) {
  if (!text.cut) return draw_text(text.front, colour);
  draw_text(LineText("{}…{}", text.front, text.back), colour);
}

void draw_wrapped_text(std::string_view text, const ImVec4& colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  draw_paragraph(text, ImGui::GetCurrentWindow()->WorkRect.Max.x - ImGui::GetCursorScreenPos().x);
  ImGui::PopStyleColor();
}

}  // namespace dlscope::app
