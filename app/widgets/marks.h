// Small drawings for several panels: group swatches and fills, badges, copyable text, tooltips.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/models/tensors/badges.h"
#include "app/models/text/format.h"
#include "app/widgets/theme.h"

namespace dlscope::app {

// Fills a rectangle with a memory group's colour. Numbers beyond the palette repeat it with a pattern; kNone32 (a tensor without
// memory) is hatched.
void fill_group(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, std::uint32_t colour, float alpha = 1.0F);
// Diagonal lines: unknown, or not there. step: pixels between them.
void hatch(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float step);

// A square of the group's colour, as high as the text, as an item on the current line. stale: hatched, because the memory may not
// be the group's any more.
void group_swatch(const Theme& theme, std::uint32_t colour, bool stale = false);

// The badge as an item on the current line; its meaning is the tooltip.
void badge_chip(const Theme& theme, const Badge& badge);
void badge_chip(const Theme& theme, std::string_view text, Tone tone);  // without a tooltip

// Tooltip of the last item, after a short delay, wrapped; gone when the item is clicked, until the mouse has been elsewhere. Nothing for
// empty text. A text that must be built is built only for an item under the mouse: explain([&] { return fmt::format(...); }).
void explain(std::string_view text);
template <std::invocable Make>
void explain(Make&& make) {
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) explain(std::string_view(make()));
}
// For an item under the mouse with its own tooltip: only stores the text for meaning_under_mouse().
void note_meaning(std::string_view text);
// The text for the item under the mouse, as far as the frame has been drawn; "": none. Used by the help card.
[[nodiscard]] std::string_view meaning_under_mouse();

// Text that a double click copies, and a right click offers to copy. copy: what goes into the clipboard.
void copyable(std::string_view text, const std::string& copy, const char* id);

// Continues on this line when `width` fits there, else on the next.
void same_line_for(float width);
[[nodiscard]] float button_width(const char* label);

// A button in a line of text. Unlike ImGui::SmallButton it has room for descenders: g, p, y.
bool small_button(const char* label);

// The first of several wordings (longest first) that is at most `room` wide; the last one when none is.
[[nodiscard]] std::string_view first_that_fits(std::initializer_list<std::string_view> wordings, float room);

// Width in pixels of the text's longest line, in the current font.
[[nodiscard]] float text_width(std::string_view text);
// Text without format strings; draw_wrapped_text() wraps at the end of the content region.
void draw_text(std::string_view text);
void draw_text(std::string_view text, const ImVec4& colour);
void draw_text(const CutText& text, const ImVec4& colour);
void draw_wrapped_text(std::string_view text, const ImVec4& colour);

}  // namespace dlscope::app
