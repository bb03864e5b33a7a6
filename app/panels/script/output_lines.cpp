#include "app/panels/script/output_lines.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

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

// A row of the output: the part of a line between two bytes.
struct RowText {
  const OutputLine* line = nullptr;
  std::uint64_t number = 0;  // of the line, counted from the first ever
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::string_view text() const { return std::string_view(line->text).substr(begin, end - begin); }
  // Pixels from the beginning of the row to that byte of the line.
  [[nodiscard]] float x_of(std::size_t byte) const {
    return text_width(std::string_view(line->text).substr(begin, std::clamp(byte, begin, end) - begin));
  }
};

RowMeasure row_measure(const OutputPanelState& state) {
  const float room = state.wrap ? std::max(1.0F, ImGui::GetContentRegionAvail().x) : 0;
  return {.room = room, .column = text_width("0"), .width = text_width};
}

// line: the one that state.row_starts is of.
RowText row_text(OutputPanelState& state, const OutputModel& output, const RowMeasure& measure, std::size_t row,
                 std::optional<std::size_t>& line) {
  const OutputRows::Place place = state.rows.at(row);
  RowText out{.line = &output.line(place.line), .number = output.first_line() + place.line};
  if (line != place.line) find_row_starts(*out.line, measure, state.row_starts);
  line = place.line;
  const auto start = [&](std::size_t i) { return i < state.row_starts.size() ? state.row_starts[i] : out.line->text.size(); };
  out.begin = start(place.row);
  out.end = start(place.row + 1);
  return out;
}

void draw_runs(const FrameContext& context, const OutputPanelState& state, const OutputModel& output, const RowText& row,
               ImVec2 at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = ImGui::GetTextLineHeight();
  const OutputLine& line = *row.line;
  const std::string_view text = line.text;
  std::size_t begin = 0;
  std::uint16_t style = 0;
  for (std::size_t run = 0; run <= line.runs.size(); ++run) {
    const std::size_t end = run < line.runs.size() ? line.runs[run].begin : text.size();
    const std::size_t from = std::max(begin, row.begin), to = std::min(end, row.end);
    if (from < to) {
      const std::string_view part = text.substr(from, to - from);
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

void draw_selection(const FrameContext& context, const OutputPanelState& state, const RowText& row, ImVec2 at) {
  if (!has_selection(state)) return;
  const auto [from, to] = std::minmax(*state.selected_from, *state.selected_to);
  if (row.number < from.line || row.number > to.line) return;
  const std::size_t size = row.line->text.size();
  const std::size_t first = row.number == from.line ? std::min(from.byte, size) : 0;
  const std::size_t last = row.number == to.line ? std::min(to.byte, size) : size;
  if (last < row.begin || (first >= row.end && row.end < size)) return;
  float right = at.x + row.x_of(last);
  if (row.number != to.line && row.end == size) right += context.px(6);  // the line's end is selected, too
  ImVec4 colour = context.theme.accent;
  colour.w = 0.35F;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x + row.x_of(first), at.y}, {right, at.y + ImGui::GetTextLineHeightWithSpacing()},
                                            ImGui::GetColorU32(colour));
}

void draw_link(const FrameContext& context, const RowText& row, ImVec2 at, Commands& commands) {
  const auto link = source_link(row.line->text);
  if (!link || link->end <= row.begin || link->begin >= row.end) return;
  const float left = at.x + row.x_of(link->begin), right = at.x + row.x_of(link->end);
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
void select_with_mouse(OutputPanelState& state, const OutputModel& output, const RowMeasure& measure, const ImVec2& origin) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state.selecting = false;
  const bool began = ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (state.rows.size() == 0 || (!began && !state.selecting)) return;
  const float y = (io.MousePos.y - origin.y) / ImGui::GetTextLineHeightWithSpacing();
  const std::size_t number = y < 0 ? 0 : std::min(static_cast<std::size_t>(y), state.rows.size() - 1);
  std::optional<std::size_t> line;
  const RowText row = row_text(state, output, measure, number, line);
  const std::string& text = row.line->text;
  const std::size_t byte = y < 0 ? 0 : row.begin + byte_at(row.text(), io.MousePos.x - origin.x);
  const OutputPlace here{row.number, byte};
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

// SetScrollY() counts from the next frame on: this one would be drawn with the text moved.
void scroll_now(float by) {
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const float to = std::max(0.0F, window->Scroll.y + by), moved = window->Scroll.y - to;
  window->Scroll.y = to;
  window->DC.CursorStartPos.y += moved;
  window->DC.CursorPos.y += moved;
  window->DC.CursorMaxPos.y += moved;
  window->DC.CursorPosPrevLine.y += moved;
  window->DC.IdealMaxPos.y += moved;
}

// Where one reads, the same line stays at the top when the width of the panel changes and when lines above are dropped.
void follow_rows(OutputPanelState& state, const OutputModel& output, const RowMeasure& measure, float height) {
  // The last line is usually the empty one that holds the cursor.
  const bool trailing = output.size() > 1 && output.line(output.size() - 1).text.empty();
  const std::size_t lines = output.size() - (trailing ? 1 : 0);
  const bool other_room = measure.room != state.rows.room() && state.rows.size() > 0 && !state.follow;
  const auto top = static_cast<std::size_t>(ImGui::GetScrollY() / height);
  const std::uint64_t line = other_room ? state.rows.at(std::min(top, state.rows.size() - 1)).line : 0;
  state.rows.follow(output, lines, measure);
  if (other_room && line < lines) ImGui::SetScrollY(static_cast<float>(state.rows.first_row_of(line)) * height);
  if (const auto shown = std::exchange(state.find.shown_line, std::nullopt); shown && *shown < lines) {
    const float place = static_cast<float>(state.rows.first_row_of(*shown)) * height, room = ImGui::GetWindowHeight();
    const bool in_view = place >= ImGui::GetScrollY() && place + height * 2 <= ImGui::GetScrollY() + room;
    if (!in_view) scroll_now(std::min(place - room / 3, ImGui::GetScrollMaxY()) - ImGui::GetScrollY());
  }
  const std::uint64_t gone = state.rows.dropped() - std::exchange(state.seen_dropped_rows, state.rows.dropped());
  if (!state.follow && !other_room && gone > 0) scroll_now(-static_cast<float>(gone) * height);
}

}  // namespace

bool has_selection(const OutputPanelState& state) {
  return state.selected_from && state.selected_to && *state.selected_from != *state.selected_to;
}

void draw_output_lines(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands) {
  prepare_inks(context.theme, state, output.styles());
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const RowMeasure measure = row_measure(state);
  follow_rows(state, output, measure, height);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  std::optional<std::size_t> line;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.lines_drawn) {
      const RowText row = row_text(state, output, measure, static_cast<std::size_t>(i), line);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      draw_selection(context, state, row, at);
      draw_runs(context, state, output, row, at);
      draw_link(context, row, at, commands);
      ImGui::Dummy({text_width(row.text()), ImGui::GetTextLineHeight()});
    }
  }
  select_with_mouse(state, output, measure, origin);
  ImGui::PopFont();
}

}  // namespace dlscope::app
