#include "app/panels/compare/compare_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/actions/actions.h"
#include "app/models/focus/focus_text.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/size_text.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/compare/compare_details.h"
#include "app/panels/compare/compared_with.h"
#include "app/panels/compare/comparison_controls.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"
#include "core/compare/compare.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::uint64_t kAtOnce = std::uint64_t{16} << 20;  // bytes of each tensor that are compared without being asked for
constexpr std::uint64_t kMaxRows = 200;
constexpr std::uint64_t kManyValues = 1024;
constexpr float kMinLines = 8, kMinPictureLines = 16, kLowPictureLines = 7;
constexpr float kLinesAbove = 3, kLinesAboveNarrow = 16;  // of pictures, with nothing folded
constexpr float kWide = 760, kFound = 360;                // at 100 %

// How B is read in the shape of A.
struct Two {
  bool equal_shapes = false;
  std::optional<core::Layout> broadcast;
};

Two two_of(const ComparedSides& sides) {
  Two two;
  if (!sides.a.record().has_layout || !sides.b.record().has_layout) return two;
  const auto shape = sides.a.snapshot->shape(sides.a.record());
  two.equal_shapes = std::ranges::equal(shape, sides.b.snapshot->shape(sides.b.record()));
  if (!two.equal_shapes) {
    if (auto layout = core::broadcast_to(sides.b.layout(), shape)) two.broadcast = std::move(*layout);
  }
  return two;
}

core::LayoutView layout_of_b(const ComparedSides& sides, const Two& two) {
  return two.broadcast ? core::LayoutView(*two.broadcast) : sides.b.layout();
}

// Why nothing can be compared; "": it can.
std::string obstacle(const ComparedSides& sides, const Two& two) {
  for (const ComparedSide* const side : {&sides.a, &sides.b}) {
    const std::string why = side->record().elements == 0 ? std::string() : why_no_values(*side->snapshot, side->record());
    if (!why.empty()) return fmt::format("{}: {}", shortened_name(side->snapshot->name(side->record()), kNameLength), why);
  }
  if (const std::string why = core::why_not_comparable({sides.a.values().dtype, sides.a.layout(), 0, {}},
                                                       {sides.b.values().dtype, layout_of_b(sides, two), 0, {}});
      !why.empty())
    return "They cannot be compared: " + why + ".";
  for (const ComparedSide* const side : {&sides.a, &sides.b}) {
    if (!side->why_not.empty()) return side->why_not;
  }
  return sides.may_be_read() ? std::string() : "There is no process to read them from. Run the script to have one.";
}

bool is_of_these(const FrameContext& context, const ComparePanelState& state) {
  return state.ticket != 0 && state.revision == context.compared_sides.revision;
}

void ask(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  state.revision = context.compared_sides.revision;
  state.broadcast = !two.equal_shapes;
  state.asked_tolerance = state.tolerance;
  state.begun = context.moment;
  state.own = context.compared_sides.own();
  state.problem.clear();
  state.found.reset();
  state.text = {};
  commands.push(command::CompareValues{++state.ticket, state.tolerance, state.broadcast});
}

bool is_comparing(const FrameContext& context, const ComparePanelState& state) {
  const TaskEntry* const task = context.tasks.find(state.task);
  return task != nullptr && task->is_open() && is_of_these(context, state);
}

// The button, or the progress of the work.
void draw_asking(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  const TaskEntry* const task = context.tasks.find(state.task);
  if (is_comparing(context, state)) {
    if (ImGui::Button("Cancel")) commands.push(command::CancelTask{task->id});
    ImGui::SameLine();
    draw_text(LineText("Comparing … {}", progress_text(*task)), context.theme.dim);
    return;
  }
  const char* const label = two.equal_shapes ? "Compare" : "Compare with B repeated to the shape of A";
  const ComparedSides& sides = context.compared_sides;
  const bool small = two.equal_shapes && sides.a.record().nbytes <= kAtOnce && sides.b.record().nbytes <= kAtOnce;
  const bool now = ImGui::Button(label) || std::exchange(state.wanted, false);
  if (now || (small && sides.own() && !is_of_these(context, state))) ask(context, state, two, commands);
}

void draw_cell(const FrameContext& context, ComparedCells& drawn, const GridCell& cell, bool own, bool differs) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 to{from.x + ImGui::GetContentRegionAvail().x, from.y + ImGui::GetTextLineHeight()};
  const float behind = from.x + ImGui::CalcTextSize(cell.text.c_str()).x + context.px(13);  // the mark stands behind the number
  if (!own) hatch_present_bytes(context, from, to);
  drawn.hatched += own ? 0 : 1;
  drawn.marked += differs ? 1 : 0;
  draw_text(cell.text, !cell.readable ? context.theme.unknown
                       : !own         ? context.theme.dim
                       : differs      ? context.theme.bad
                                      : value_colour(context.theme, cell.value_class));
  if (!own && cell.readable) explain([&] { return compared_text(cell, own); });
  if (!cell.readable || !own) return;
  mark_value(ImGui::GetWindowDrawList(), from, to, behind, context.theme, cell.value_class, context.scale);
}

void draw_row(const FrameContext& context, ComparedCells& drawn, const SideBySide& row, const SideOfTwo& a, const SideOfTwo& b,
              Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row.element & 0x7fffffff));
  const bool pinned = element_of_two(context, context.pinned) == row.element;
  if (ImGui::Selectable((index_text(a.layout, row.element) + "##row").c_str(), pinned, ImGuiSelectableFlags_SpanAllColumns))
    go_to_compared(context, row.element, commands);
  if (ImGui::IsItemHovered()) commands.push(command::Hover{focus_of_two(context, ComparePicture::a, row.element)});
  ImGui::PopID();
  ImGui::TableSetColumnIndex(1);
  draw_cell(context, drawn, row.a, a.own, row.differs);
  ImGui::TableSetColumnIndex(2);
  draw_cell(context, drawn, row.b, b.own, row.differs);
  ImGui::TableSetColumnIndex(3);
  if (row.differs) draw_text(LineText("≠ {}", row.difference), context.theme.bad);
}

// As many as fit, in C order; the wheel moves by rows, with 64-bit positions.
void draw_list(const FrameContext& context, ComparePanelState& state, const SideOfTwo& a, const SideOfTwo& b,
               Commands& commands) {
  const float line = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  const auto room = static_cast<std::int64_t>(ImGui::GetContentRegionAvail().y / line) - 1;
  state.rows.clear();
  if (room < 1) return;
  const std::uint64_t rows = std::min({static_cast<std::uint64_t>(room), kMaxRows, a.tensor.elements});
  const std::uint64_t last = a.tensor.elements - rows;
  if (const auto element = element_of_two(context, context.pinned); element && *element != state.seen_element) {
    state.seen_element = *element;
    if (*element < state.first_row || *element >= state.first_row + rows)
      state.first_row = *element - std::min(*element, rows / 3);
  }
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && ImGui::GetIO().MouseWheel != 0) {
    const auto by = static_cast<std::uint64_t>(std::abs(ImGui::GetIO().MouseWheel) * 3 + 0.5F);
    state.first_row = ImGui::GetIO().MouseWheel > 0 ? state.first_row - std::min(state.first_row, by) : state.first_row + by;
  }
  state.first_row = std::min(state.first_row, last);
  read_side_by_side(a, b, {.first = state.first_row, .columns = rows}, state.rows);
  constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings |
                          ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("side by side", 4, kFlags)) return;
  for (const char* title : {"Index", "A", "B", "A - B"}) ImGui::TableSetupColumn(title);
  ImGui::TableHeadersRow();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  for (const SideBySide& row : state.rows) draw_row(context, state.drawn, row, a, b, commands);
  ImGui::PopFont();
  ImGui::EndTable();
}

// At least a few rows high: in a panel that is lower, the panel scrolls.
void draw_values(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  const ComparedSides& sides = context.compared_sides;
  if (sides.a.record().elements == 0) return;
  const SideOfTwo a{*sides.a.snapshot, sides.a.record(), sides.a.layout(), *sides.a.reader, sides.a.own},
      b{*sides.b.snapshot, sides.b.record(), layout_of_b(sides, two), *sides.b.reader, sides.b.own};
  const bool has_rows = a.layout.shape.size() > 1;
  if (has_rows) {
    ImGui::Checkbox("As a list", &state.as_list);
    explain("One element a line, with A - B. Otherwise rows and columns, A left and B right.");
    if (a.layout.shape.size() > 2 && !state.as_list) ImGui::SameLine();
  }
  const float least = ImGui::GetTextLineHeightWithSpacing() * kMinLines;
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar;  // the wheel scrolls the values
  if (ImGui::BeginChild("values", {0, ImGui::GetContentRegionAvail().y < least ? least : 0}, ImGuiChildFlags_None, kFlags)) {
    if (has_rows && !state.as_list)
      draw_compare_grid(context, state.grid, state.drawn, a, b, commands);
    else
      draw_list(context, state, a, b, commands);
  }
  ImGui::EndChild();
}

// Buttons for the next and the previous difference.
void draw_search(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  const auto pinned = element_of_two(context, context.pinned);
  const auto search = [&](const char* label, ActionId id, bool forward) {
    same_line_for(button_width(label));
    if (small_button(label) || context.asked(id)) commands.push(command::FindMismatch{pinned, forward});
    explain(action(id).title);
  };
  search("◄ differs", ActionId::compare_previous, false);
  search("differs ►", ActionId::compare_next, true);
  // Of another pair, or of what the two held before.
  if (state.search_revision != context.compared_sides.revision || state.search_code_began != context.moment.code_began) return;
  if (state.search_message.empty()) return;
  same_line_for(ImGui::CalcTextSize(state.search_message.c_str()).x);
  draw_text(state.search_message, context.theme.dim);
}

[[nodiscard]] bool shows_pictures(const FrameContext& context, const ComparePanelState& state) {
  const bool by_default = why_no_pictures(context.compared_sides).empty() && context.compared_sides.a.record().elements > kManyValues;
  return state.as_pictures.value_or(by_default);
}

// Values or pictures, and the search for differences.
void draw_choice(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  const bool pictures = shows_pictures(context, state);
  if (ImGui::RadioButton("Pictures", pictures)) state.as_pictures = true;
  explain("A, B and their difference as heat maps that move together.");
  ImGui::SameLine();
  if (ImGui::RadioButton("Numbers", !pictures)) state.as_pictures = false;
  explain("The values side by side.");
  if (why_no_pictures(context.compared_sides).empty()) draw_search(context, state, commands);
}

// As high as the panel, or as least_lines, and then the panel scrolls. controls: the pictures' own, above them.
void draw_pictures(const FrameContext& context, ComparePanelState& state, PictureControls controls, float least_lines,
                   Commands& commands) {
  if (const std::string why = why_no_pictures(context.compared_sides); !why.empty())
    return draw_wrapped_text(why, context.theme.unknown);
  const float least = ImGui::GetTextLineHeightWithSpacing() * least_lines;
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar;  // the wheel zooms
  if (ImGui::BeginChild("pictures", {0, ImGui::GetContentRegionAvail().y < least ? least : 0}, ImGuiChildFlags_None, kFlags)) {
    if (controls == PictureControls::whole) draw_comparison_controls(context, state.pictures, controls);
    draw_comparison_pictures(context, state.pictures, commands);
  }
  ImGui::EndChild();
}

// What comes first is seen first: in a low panel the pictures, and everything else as buttons above them.
void draw_low(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  draw_asking(context, state, two, commands);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  same_line_for(ImGui::GetFrameHeight() * 2 + ImGui::CalcTextSize("PicturesNumbers").x + gap * 3);
  draw_choice(context, state, commands);
  draw_details_button(context, state, commands);
  if (why_no_pictures(context.compared_sides).empty())
    draw_comparison_controls(context, state.pictures, PictureControls::as_buttons);
  if (is_of_these(context, state)) draw_verdict(context, state, commands);
  draw_pictures(context, state, PictureControls::as_buttons, kLowPictureLines, commands);
}

void draw_both(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  const ComparedSides& sides = context.compared_sides;
  const Two two = two_of(sides);
  const std::string why = obstacle(sides, two);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool wide = room.x > context.px(kWide);  // what was found beside the pictures or numbers, else above them
  const float lines = room.y / ImGui::GetTextLineHeightWithSpacing();
  if (why.empty() && shows_pictures(context, state) && lines < kMinPictureLines + (wide ? kLinesAbove : kLinesAboveNarrow))
    return draw_low(context, state, two, commands);
  draw_compared_sides(context, commands);
  if (!why.empty()) return draw_wrapped_text(why, context.theme.unknown);
  draw_asking(context, state, two, commands);
  if (!is_comparing(context, state)) draw_tolerance(context, state);
  if (is_of_these(context, state)) {
    if (wide) ImGui::BeginChild("found", {context.px(kFound), 0});
    draw_verdict(context, state, commands);
    if (state.found) draw_figures(context, state, commands);
    if (wide) ImGui::EndChild();
    if (wide) ImGui::SameLine();
  }
  if (wide) ImGui::BeginChild("beside");
  draw_choice(context, state, commands);
  if (shows_pictures(context, state))
    draw_pictures(context, state, PictureControls::whole, kMinPictureLines, commands);
  else
    draw_values(context, state, two, commands);
  if (wide) ImGui::EndChild();
}

// Says why there are not two tensors.
void draw_missing(const FrameContext& context) {
  const ComparedSides& sides = context.compared_sides;
  if (sides.preparing) return draw_text("…", context.theme.dim);
  if (sides.moment != 0 && sides.b.exists()) {
    draw_wrapped_text(
        fmt::format(
            "What {} held at that moment is not kept: it was not remembered then, or was dropped to make room for newer moments.",
            shortened_name(sides.b.snapshot->name(sides.b.record()), kNameLength)),
        context.theme.unknown);
    return;
  }
  if (!sides.file.path.empty() && sides.a.exists()) return draw_no_counterpart(context);
  draw_wrapped_text(
      "Select a tensor, then Ctrl+click a second one: their values are compared here, whatever their dtypes and strides. Or "
      "compare it with a tensor of a file. Or remember a tensor (row menu): then it can be compared with an earlier moment.",
      context.theme.dim);
}

}  // namespace

void draw_compare_panel(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  state.rows.clear();
  state.drawn = {};
  if (context.asked(ActionId::compare_values)) {
    state.wanted = true;
    ImGui::SetNextWindowFocus();
  }
  if (std::exchange(state.bring_up, false)) ImGui::SetNextWindowFocus();
  if (ImGui::Begin(title_of(ActionContext::compare))) {
    if (context.has_tensors() && context.selected != core::kNone32) draw_compared_with(context, commands);
    if (context.has_tensors() && context.compared_sides.both())
      draw_both(context, state, commands);
    else
      draw_missing(context);
  }
  ImGui::End();
}

}  // namespace dlscope::app
