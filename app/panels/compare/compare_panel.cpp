#include "app/panels/compare/compare_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_words.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/format.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"
#include "core/compare/compare.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::uint64_t kAtOnce = std::uint64_t{16} << 20;  // bytes of each that are compared without being asked
constexpr std::uint64_t kMostRows = 200;
constexpr float kLeastLines = 8;
constexpr float kWide = 760, kFound = 360;  // at 100 %

// The two tensors, and how B is read so that it has the shape of A.
struct Two {
  const core::TensorRecord* a = nullptr;
  const core::TensorRecord* b = nullptr;
  bool equal_shapes = false;
  std::optional<core::Layout> broadcast;
};

Two two_of(const FrameContext& context) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  Two two{&context.index->tensor(context.selected), &context.index->tensor(context.compared), false, std::nullopt};
  if (!two.a->has_layout || !two.b->has_layout) return two;
  two.equal_shapes = std::ranges::equal(snapshot.shape(*two.a), snapshot.shape(*two.b));
  if (!two.equal_shapes) {
    if (auto layout = core::broadcast_to(snapshot.layout(*two.b), snapshot.shape(*two.a))) two.broadcast = std::move(*layout);
  }
  return two;
}

void draw_side(const FrameContext& context, const char* letter, std::uint32_t id, Commands& commands) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(id);
  ImGui::PushID(letter);
  words(letter, context.theme.dim);
  ImGui::SameLine();
  tensor_swatch(context, id);
  ImGui::SameLine();
  words(shortened(snapshot.name(tensor), kNameLength), context.theme.accent);
  if (ImGui::IsItemHovered()) commands.push(command::Hover{{.tensor = id, .element = {}, .space = tensor.space, .bytes = {}}});
  ImGui::SameLine();
  const LineText facts("{}   {}   {}", snapshot.dtype_name(tensor), shape_text(snapshot.shape(tensor)),
                       contiguity_words(tensor.contiguity));
  if (ImGui::CalcTextSize(facts.c_str()).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  words(facts, context.theme.dim);
  ImGui::SameLine();
  state_of_tensor(context, id, context.bytes_are_its_own(id) ? "" : "not held");
  ImGui::PopID();
}

// Why nothing can be compared; "" where it can.
std::string obstacle(const FrameContext& context, const Two& two) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  for (const core::TensorRecord* tensor : {two.a, two.b}) {
    const std::string why = tensor->elements == 0 ? std::string() : ValueGrid::why_not(snapshot, *tensor);
    if (!why.empty()) return fmt::format("{}: {}", shortened(snapshot.name(*tensor), kNameLength), why);
  }
  if (const std::string why = core::why_not_comparable(
          {two.a->dtype, snapshot.layout(*two.a), 0, {}},
          {two.b->dtype, two.equal_shapes ? snapshot.layout(*two.b) : two.broadcast ? core::LayoutView(*two.broadcast) : snapshot.layout(*two.b), 0, {}});
      !why.empty())
    return "They cannot be compared: " + why + ".";
  for (const std::uint32_t tensor : {context.selected, context.compared}) {
    if (std::string no = context.why_not_read(tensor); !no.empty()) return no;
  }
  return context.reader == nullptr ? "There is no process to read them from. Run the script to have one." : std::string();
}

bool is_of_these(const FrameContext& context, const ComparePanelState& state) {
  return state.snapshot == context.index->snapshot && state.a == context.selected && state.b == context.compared;
}

void ask(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  state.snapshot = context.index->snapshot;
  state.a = context.selected;
  state.b = context.compared;
  state.broadcast = !two.equal_shapes;
  state.asked_tolerance = state.tolerance;
  state.begun = context.moment;
  state.own = context.bytes_are_its_own(context.selected) && context.bytes_are_its_own(context.compared);
  state.problem.clear();
  state.found.reset();
  state.text = {};
  commands.push(command::CompareValues{++state.ticket, state.tolerance, state.broadcast});
}

void draw_tolerance(const FrameContext& context, ComparePanelState& state) {
  const auto input = [&](const char* label, double& value, const char* meaning) {
    same_line_for(context.px(170));
    words(label, context.theme.dim);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(context.px(80));
    ImGui::PushID(label);
    ImGui::InputDouble("##tolerance", &value, 0, 0, "%g");
    ImGui::PopID();
    explain(meaning);
    if (!(value >= 0)) value = 0;
  };
  input("absolute", state.tolerance.absolute, "A and B agree where |A - B| is at most absolute + relative · |B|.");
  input("relative", state.tolerance.relative, "A and B agree where |A - B| is at most absolute + relative · |B|.");
}

// The button, or how far the work is.
void draw_asking(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  const TaskEntry* const task = context.tasks.find(state.task);
  if (task != nullptr && task->is_open() && is_of_these(context, state)) {
    if (ImGui::Button("Cancel")) commands.push(command::CancelTask{task->id});
    ImGui::SameLine();
    words(LineText("Comparing … {}", progress_text(*task)), context.theme.dim);
    return;
  }
  const char* const label = two.equal_shapes ? "Compare" : "Compare with B repeated to the shape of A";
  const bool small = two.equal_shapes && two.a->nbytes <= kAtOnce && two.b->nbytes <= kAtOnce;
  const bool own = context.bytes_are_its_own(context.selected) && context.bytes_are_its_own(context.compared);
  const bool now = ImGui::Button(label) || std::exchange(state.wanted, false);
  if (now || (small && own && !is_of_these(context, state))) ask(context, state, two, commands);
  draw_tolerance(context, state);
}

void go_to(const FrameContext& context, std::uint64_t element, Commands& commands) {
  commands.push(command::Pin{focus_on(*context.index, context.selected, element)});
}

void draw_verdict(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  if (!state.problem.empty()) return wrapped_words(state.problem, context.theme.bad);
  if (!state.found) return;
  const core::Snapshot& snapshot = *context.index->snapshot;
  if (state.text.verdict.empty()) {
    const auto &a = context.index->tensor(state.a), &b = context.index->tensor(state.b);
    state.text = comparison_text(*state.found, snapshot.layout(a), state.asked_tolerance, snapshot.dtype_name(a), snapshot.dtype_name(b));
  }
  if (!(state.begun == context.moment))
    wrapped_words("Code has run since they were compared: this is what was found before.", context.theme.warn);
  else if (!state.own)
    wrapped_words("Code ran before they were compared: what lay there may have been other data.", context.theme.warn);
  wrapped_words(state.text.verdict, tone_colour(context.theme, state.text.tone));
  if (state.text.first) {
    if (small_button("Go to the first")) go_to(context, *state.text.first, commands);
    explain("Pins it: every view shows it, and the list below begins there.");
    if (context.asked(ActionId::compare_first)) go_to(context, *state.text.first, commands);
  }
  constexpr auto kFlags = ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("figures", 3, kFlags)) return;
  for (const ComparisonFigure& figure : state.text.figures) {
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    words(figure.label, context.theme.dim);
    explain(figure.meaning);
    ImGui::TableSetColumnIndex(1);
    words(figure.value);
    ImGui::TableSetColumnIndex(2);
    if (!figure.element) continue;
    ImGui::PushID(figure.label.c_str());
    const std::string place = index_text(snapshot.layout(context.index->tensor(state.a)), *figure.element);
    if (ImGui::TextLink((place + "###place").c_str())) go_to(context, *figure.element, commands);
    explain("Pins it: every view shows it.");
    ImGui::PopID();
  }
  ImGui::EndTable();
}

// The element in focus, of either; else the one at the top.
std::optional<std::uint64_t> focused_element(const FrameContext& context) {
  const Focus& focus = context.pinned;
  if (!focus.on_tensor() || !focus.element) return std::nullopt;
  return focus.tensor == context.selected || focus.tensor == context.compared ? focus.element : std::nullopt;
}

void draw_cell(const FrameContext& context, const GridCell& cell, bool differs) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  words(cell.text, !cell.readable ? context.theme.unknown : differs ? context.theme.bad : value_colour(context.theme, cell.value_class));
  if (!cell.readable) return;
  const ImVec2 to{from.x + ImGui::GetContentRegionAvail().x, from.y + ImGui::GetTextLineHeight()};
  mark_value(ImGui::GetWindowDrawList(), from, to, context.theme, cell.value_class, context.scale);
}

void draw_row(const FrameContext& context, const SideBySide& row, core::LayoutView layout, Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row.element & 0x7fffffff));
  const bool pinned = focused_element(context) == row.element;
  if (ImGui::Selectable((index_text(layout, row.element) + "##row").c_str(), pinned, ImGuiSelectableFlags_SpanAllColumns))
    go_to(context, row.element, commands);
  if (ImGui::IsItemHovered()) commands.push(command::Hover{focus_on(*context.index, context.selected, row.element)});
  ImGui::PopID();
  ImGui::TableSetColumnIndex(1);
  draw_cell(context, row.a, row.differs);
  ImGui::TableSetColumnIndex(2);
  draw_cell(context, row.b, row.differs);
  ImGui::TableSetColumnIndex(3);
  if (row.differs) words(LineText("≠ {}", row.difference), context.theme.bad);
}

// As many as have room, in C order; the wheel moves by rows, in 64 bits.
void draw_list(const FrameContext& context, ComparePanelState& state, const SideOfTwo& a, const SideOfTwo& b, Commands& commands) {
  const core::LayoutView layout = a.layout;
  const float line = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  const auto room = static_cast<std::int64_t>(ImGui::GetContentRegionAvail().y / line) - 1;
  state.rows.clear();
  if (room < 1) return;
  const std::uint64_t rows = std::min({static_cast<std::uint64_t>(room), kMostRows, a.tensor->elements});
  const std::uint64_t last = a.tensor->elements - rows;
  if (const auto element = focused_element(context); element && *element != state.seen_element) {
    state.seen_element = *element;
    if (*element < state.first_row || *element >= state.first_row + rows) state.first_row = *element - std::min(*element, rows / 3);
  }
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && ImGui::GetIO().MouseWheel != 0) {
    const auto by = static_cast<std::uint64_t>(std::abs(ImGui::GetIO().MouseWheel) * 3 + 0.5F);
    state.first_row = ImGui::GetIO().MouseWheel > 0 ? state.first_row - std::min(state.first_row, by) : state.first_row + by;
  }
  state.first_row = std::min(state.first_row, last);
  read_side_by_side(*context.index->snapshot, a, b, *context.reader, {.first = state.first_row, .columns = rows}, state.rows);
  constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings |
                          ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("side by side", 4, kFlags)) return;
  for (const char* title : {"Index", "A", "B", "A - B"}) ImGui::TableSetupColumn(title);
  ImGui::TableHeadersRow();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  for (const SideBySide& row : state.rows) draw_row(context, row, layout, commands);
  ImGui::PopFont();
  ImGui::EndTable();
}

// Never lower than a few rows: a panel too low for them scrolls.
void draw_values(const FrameContext& context, ComparePanelState& state, const Two& two, Commands& commands) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  state.grid.cells.clear();
  if (two.a->elements == 0) return;
  const SideOfTwo a{two.a, snapshot.layout(*two.a)},
      b{two.b, two.broadcast ? core::LayoutView(*two.broadcast) : snapshot.layout(*two.b)};
  const bool has_rows = a.layout.shape.size() > 1;
  if (has_rows) {
    ImGui::Checkbox("As a list", &state.as_list);
    explain("One element a line, with A - B. Otherwise rows and columns, A left and B right.");
    if (snapshot.layout(*two.a).shape.size() > 2 && !state.as_list) ImGui::SameLine();
  }
  const float least = ImGui::GetTextLineHeightWithSpacing() * kLeastLines;
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar;  // the wheel moves the values
  if (ImGui::BeginChild("values", {0, ImGui::GetContentRegionAvail().y < least ? least : 0}, ImGuiChildFlags_None, kFlags)) {
    if (has_rows && !state.as_list)
      draw_compare_grid(context, state.grid, a, b, commands);
    else
      draw_list(context, state, a, b, commands);
  }
  ImGui::EndChild();
}

void draw_both(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  draw_side(context, "A", context.selected, commands);
  draw_side(context, "B", context.compared, commands);
  same_line_for(button_width("Swap"));
  if (small_button("Swap")) {
    commands.push(command::SelectTensor{context.compared});
    commands.push(command::CompareTensor{context.selected});
  }
  explain("A becomes B: errors relative to the other one.");
  const Two two = two_of(context);
  if (const std::string why = obstacle(context, two); !why.empty()) return wrapped_words(why, context.theme.unknown);
  draw_asking(context, state, two, commands);
  // Beside one another where there is room.
  const bool wide = ImGui::GetContentRegionAvail().x > context.px(kWide);
  if (is_of_these(context, state)) {
    if (wide) ImGui::BeginChild("found", {context.px(kFound), 0});
    draw_verdict(context, state, commands);
    if (wide) ImGui::EndChild();
    if (wide) ImGui::SameLine();
  }
  if (wide) ImGui::BeginChild("beside");
  draw_values(context, state, two, commands);
  if (wide) ImGui::EndChild();
}

}  // namespace

void draw_compare_panel(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  state.rows.clear();
  if (context.asked(ActionId::compare_values)) {
    state.wanted = true;
    ImGui::SetNextWindowFocus();
  }
  if (ImGui::Begin(title_of(ActionContext::compare))) {
    if (!context.has_tensors() || context.selected == core::kNone32 || context.compared == core::kNone32)
      wrapped_words("Select a tensor, then Ctrl+click a second one: their values are compared here, whatever their dtypes and strides.",
                    context.theme.dim);
    else
      draw_both(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
