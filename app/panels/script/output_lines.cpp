#include "app/panels/script/output_lines.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/models/script/source_link.h"
#include "app/models/text/characters.h"
#include "app/models/text/terminal_colours.h"
#include "app/panels/script/output_panel.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

Rgb rgb(const ImVec4& c) { return {c.x, c.y, c.z}; }
ImU32 packed(const Rgb& c) { return ImGui::ColorConvertFloat4ToU32({c.red, c.green, c.blue, 1}); }

// The sixteen named colours come from the theme: black, red, green, yellow, blue, magenta, cyan, white, then the bright ones.
Rgb named(const Theme& t, std::uint8_t index) {
  const std::array<const ImVec4*, 16> roles{&t.dim, &t.bad, &t.good, &t.warn, &t.accent, &t.unknown, &t.note, &t.text,
                                            &t.dim, &t.bad, &t.good, &t.warn, &t.accent, &t.unknown, &t.note, &t.text};
  return rgb(*roles[index & 15U]);
}

std::optional<Rgb> colour_of(const Theme& theme, const TextColour& colour) {
  switch (colour.kind) {
    case TextColour::Kind::standard:
      return std::nullopt;
    case TextColour::Kind::indexed:
      return colour.red < 16 ? named(theme, colour.red) : indexed_colour(colour.red);
    case TextColour::Kind::rgb:
      return Rgb{static_cast<float>(colour.red) / 255.0F, static_cast<float>(colour.green) / 255.0F,
                 static_cast<float>(colour.blue) / 255.0F};
  }
  return std::nullopt;
}

void prepare_inks(const Theme& theme, OutputPanelState& state, const std::vector<TextStyle>& styles) {
  if (state.inks_of != theme.choice || state.inks.size() > styles.size()) state.inks.clear();
  state.inks_of = theme.choice;
  state.grounds.resize(state.inks.size());
  for (std::size_t i = state.inks.size(); i < styles.size(); ++i) {
    const TextStyle& style = styles[i];
    std::optional<Rgb> ground = colour_of(theme, style.ground);
    Rgb ink = colour_of(theme, style.ink).value_or(rgb(style.dim ? theme.dim : theme.text));
    if (style.inverse) {
      const Rgb under = ground.value_or(rgb(theme.panel));
      ground = ink;
      ink = under;
    }
    state.inks.push_back(packed(readable(ink, ground.value_or(rgb(theme.panel)))));
    state.grounds.push_back(ground ? packed(*ground) : 0);
  }
}

// The byte position at a character boundary nearest to x.
std::size_t byte_at(std::string_view text, float x) {
  std::size_t at = 0;
  float left = 0;
  while (at < text.size()) {
    std::size_t next = at + 1;
    while (next < text.size() && !starts_character(text[next])) ++next;
    const float width = text_width(text.substr(at, next - at));
    if (x < left + width / 2) return at;
    left += width;
    at = next;
  }
  return at;
}

void draw_runs(const FrameContext& context, const OutputPanelState& state, const OutputModel& output, const OutputLine& line,
               ImVec2 at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = ImGui::GetTextLineHeight();
  const std::string_view text = line.text;
  std::size_t begin = 0;
  std::uint16_t style = 0;
  for (std::size_t run = 0; run <= line.runs.size(); ++run) {
    const std::size_t end = run < line.runs.size() ? line.runs[run].begin : text.size();
    const std::string_view part = text.substr(begin, end - begin);
    if (!part.empty()) {
      const std::size_t number = style < state.inks.size() ? style : 0;
      const float width = text_width(part);
      if ((state.grounds[number] & IM_COL32_A_MASK) != 0)
        list->AddRectFilled(at, {at.x + width, at.y + height}, state.grounds[number]);
      const ImU32 ink = line.kind == OutputKind::text
                            ? state.inks[number]
                            : ImGui::GetColorU32(line.kind == OutputKind::failure ? context.theme.bad : context.theme.note);
      list->AddText(at, ink, part.data(), part.data() + part.size());
      if (output.styles()[number].bold)
        list->AddText({at.x + context.px(0.6F), at.y}, ink, part.data(), part.data() + part.size());
      if (output.styles()[number].underlined) list->AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, ink);
      at.x += width;
    }
    begin = end;
    if (run < line.runs.size()) style = line.runs[run].style;
  }
}

void draw_selection(const FrameContext& context, const OutputPanelState& state, std::uint64_t number, std::string_view text,
                    ImVec2 at) {
  if (!has_selection(state)) return;
  const auto [from, to] = std::minmax(*state.selected_from, *state.selected_to);
  if (number < from.line || number > to.line) return;
  const std::size_t first = number == from.line ? std::min(from.byte, text.size()) : 0;
  const std::size_t last = number == to.line ? std::min(to.byte, text.size()) : text.size();
  float right = at.x + text_width(text.substr(0, last));
  if (number != to.line) right += context.px(6);  // the line's end is selected, too
  ImVec4 colour = context.theme.accent;
  colour.w = 0.35F;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x + text_width(text.substr(0, first)), at.y},
                                            {right, at.y + ImGui::GetTextLineHeightWithSpacing()}, ImGui::GetColorU32(colour));
}

void draw_link(const FrameContext& context, const OutputLine& line, ImVec2 at, Commands& commands) {
  const auto link = source_link(line.text);
  if (!link) return;
  const std::string_view text = line.text;
  const float left = at.x + text_width(text.substr(0, link->begin)), right = at.x + text_width(text.substr(0, link->end));
  const float bottom = at.y + ImGui::GetTextLineHeight();
  const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, at.y}, {right, bottom});
  ImGui::GetWindowDrawList()->AddLine({left, bottom}, {right, bottom},
                                      ImGui::GetColorU32(hovered ? context.theme.accent : context.theme.dim));
  if (!hovered) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  // Released without dragging, because dragging selects text.
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
  const bool clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Left) && std::abs(dragged.x) + std::abs(dragged.y) < context.px(4);
  if (clicked) commands.push(command::GoToSource{link->path, link->line});
}

// A click sets the start, dragging selects; a double click selects the word, a triple click the line; Shift extends.
void select_with_mouse(OutputPanelState& state, const OutputModel& output, const ImVec2& origin, std::size_t count) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state.selecting = false;
  const bool began = ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (count == 0 || (!began && !state.selecting)) return;
  const float row = (io.MousePos.y - origin.y) / ImGui::GetTextLineHeightWithSpacing();
  const std::size_t line = row < 0 ? 0 : std::min(static_cast<std::size_t>(row), count - 1);
  const std::string& text = output.line(line).text;
  const std::size_t byte = row < 0 ? 0 : byte_at(text, io.MousePos.x - origin.x);
  const OutputPlace here{output.first_line() + line, byte};
  if (!began) {
    state.selected_to = here;
    return;
  }
  state.selecting = true;
  if (!io.KeyShift || !state.selected_from) state.selected_from = here;
  state.selected_to = here;
  const int clicks = io.MouseClickedCount[ImGuiMouseButton_Left];
  if (clicks < 2) return;
  state.selecting = false;
  std::size_t first = clicks == 2 ? byte : 0, last = clicks == 2 ? byte : text.size();
  while (clicks == 2 && first > 0 && is_word_byte(text[first - 1])) --first;
  while (clicks == 2 && last < text.size() && is_word_byte(text[last])) ++last;
  state.selected_from = OutputPlace{here.line, first};
  state.selected_to = OutputPlace{here.line, last};
}

}  // namespace

bool has_selection(const OutputPanelState& state) {
  return state.selected_from && state.selected_to && *state.selected_from != *state.selected_to;
}

void draw_output_lines(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands) {
  prepare_inks(context.theme, state, output.styles());
  ImGui::PushFont(context.fonts.mono, 0.0F);
  // The last line is usually the empty one that holds the cursor.
  const bool trailing = output.size() > 1 && output.line(output.size() - 1).text.empty();
  const std::size_t count = output.size() - (trailing ? 1 : 0);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.lines_drawn) {
      const OutputLine& line = output.line(static_cast<std::size_t>(i));
      const ImVec2 at = ImGui::GetCursorScreenPos();
      draw_selection(context, state, output.first_line() + static_cast<std::uint64_t>(i), line.text, at);
      draw_runs(context, state, output, line, at);
      draw_link(context, line, at, commands);
      ImGui::Dummy({text_width(line.text), ImGui::GetTextLineHeight()});
    }
  }
  select_with_mouse(state, output, origin, count);
  ImGui::PopFont();
}

}  // namespace dlscope::app
