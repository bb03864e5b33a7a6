#include "app/panels/tensors/table_tools.h"

#include <fmt/core.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/debug/names_frame.h"
#include "app/models/statistics/statistics_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/tensor_marks.h"
#include "app/panels/tensors/table_query.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/tooltip.h"

namespace dlscope::app {
namespace {

constexpr float kMinFilter = 9;  // font sizes
constexpr std::size_t kComparedName = 32;

std::string count_text(const FrameContext& context, const TensorTableModel& model) {
  const std::string all = counted(context.index->size(), "tensor", "tensors");
  return model.row_count() == context.index->size() ? all : grouped(model.row_count()) + " of " + all;
}

void draw_columns_popup(TensorTableState& state) {
  if (!ImGui::BeginPopup("columns")) return;
  draw_column_choice(state);
  ImGui::EndPopup();
}

constexpr struct {
  TableView view;
  const char* title;
  const char* meaning;
} kViews[] = {{TableView::flat, "List", "One row after the other."},
              {TableView::tree, "Tree", "By the path of the names, with how many tensors and bytes each branch has."},
              {TableView::groups, "Groups", "Tensors that share memory under one heading."}};
constexpr std::size_t kManyRows = 60;  // with at least so many rows a tree starts folded

void switch_view(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, TableView view,
                 Commands& commands) {
  ask_rows(model, commands, [&](TableQuery& query) {
    query.view = view;
    query.folding = {.all = view == TableView::tree && model.row_count() > kManyRows, .except = {}};
  });
  state.scroll_to = context.selected;
}

void draw_view_buttons(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  const TableView now = model.query().view;
  for (const auto& [view, title, meaning] : kViews) {
    if (view != TableView::flat) ImGui::SameLine(0, context.px(2));
    if (view == now) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_Header));
    if (ImGui::Button(title)) switch_view(context, state, model, view, commands);
    if (view == now) ImGui::PopStyleColor();
    explain(meaning);
  }
  // Always there and always as wide: a button that comes or goes would move the others from under the mouse.
  same_line_for(button_width("Unfold"));
  const bool has_heads = now != TableView::flat;
  const bool all = has_heads && model.query().folding.all && model.query().folding.except.empty();
  ImGui::BeginDisabled(!has_heads);
  if (ImGui::Button(all ? "Unfold###fold" : "Fold###fold", {button_width("Unfold"), 0})) {
    ask_rows(model, commands, [&](TableQuery& query) { query.folding = {.all = !all, .except = {}}; });
    state.scroll_to = context.selected;
  }
  ImGui::EndDisabled();
  if (!has_heads) return explain("Folds the branches of Tree and Groups.");
  explain(all ? "Open everything (Ctrl+Right)." : "Fold everything (Ctrl+Left). Left and Right fold and open one heading.");
}

float buttons_width() {
  const ImGuiStyle& style = ImGui::GetStyle();
  float width = 0;
  for (const char* text : {"List", "Tree", "Groups", "Columns", "Unfold"}) {
    width += ImGui::CalcTextSize(text).x + style.FramePadding.x * 2 + style.ItemSpacing.x;
  }
  return width;
}

void draw_filter(TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  if (state.focus_filter) ImGui::SetKeyboardFocusHere();
  state.focus_filter = false;
  if (state.filter != model.query().filter && !ImGui::IsAnyItemActive()) state.filter = model.query().filter;
  static constexpr const char* kHint = "Filter: name, library, dtype, device, badge";
  const bool has_room = ImGui::CalcTextSize(kHint).x + 2 * ImGui::GetStyle().FramePadding.x <= ImGui::CalcItemWidth();
  if (ImGui::InputTextWithHint("##filter", has_room ? kHint : "Filter", &state.filter, ImGuiInputTextFlags_EscapeClearsAll)) {
    ask_rows(model, commands, [&](TableQuery& query) { query.filter = state.filter; });
  }
  explain(
      "All words must match somewhere; a minus excludes, quotes keep words together.\n"
      "To search in one place: name: lib: dtype: device: shape: badge:\n"
      "shares:x  those that share bytes with x\n"
      "at:0x5581…  those that hold this address\n"
      "Example: lib:torch badge:shares -dtype:float64");
}

// The comparison of a Ctrl+click, where the click was made. The Sharing panel shows how it was decided.
void draw_comparison(const FrameContext& context, TensorTableState& state, Commands& commands) {
  if (context.selected == core::kNone32 || context.compared == core::kNone32) return;
  const Comparison& said = state.comparison.get({context.generation, context.selected, context.compared}, [&](Comparison& out) {
    out = compare_tensors(*context.index, context.selected, context.compared);
  });
  const auto side = [&](const char* letter, std::uint32_t tensor) {
    draw_text(letter, context.theme.accent);
    ImGui::SameLine();
    tensor_swatch(context, tensor);
    ImGui::SameLine();
    draw_text(shortened_name(context.index->snapshot->name(context.index->tensor(tensor)), kComparedName));
    ImGui::SameLine(0, context.px(12));
  };
  side("A", context.selected);
  side("B", context.compared);
  if (small_button("×##compared")) commands.push(command::CompareTensor{context.compared});
  explain("No longer compare them (Escape).");
  same_line_for(button_width("Compare values"));
  if (small_button("Compare values")) commands.push(command::Ask{ActionId::compare_values});
  explain("Value by value, in a view of its own.");
  draw_wrapped_text(said.sentence, tone_colour(context.theme, said.tone));
  explain(said.detail);
}

constexpr TableColumn kValueColumns[] = {TableColumn::nan, TableColumn::least, TableColumn::greatest};

// Shows the value columns and requests the values.
void survey(const FrameContext& context, TensorTableState& state, Commands& commands) {
  state.chosen = state.shown;
  for (const TableColumn column : kValueColumns) state.chosen.set(static_cast<std::size_t>(column));
  state.surveyed = context.generation;
  commands.push(command::SurveyTensors{});
}

// Shown value columns are filled: at once when that takes a moment, else with a button.
void draw_survey(const FrameContext& context, TensorTableState& state, Commands& commands) {
  if (context.asked(ActionId::statistics_survey)) survey(context, state, commands);
  const bool shown = std::ranges::any_of(kValueColumns, [&](TableColumn c) { return state.shown[static_cast<std::size_t>(c)]; });
  const StatisticsStore::Survey& made = context.statistics.survey();
  if (!shown || !may_read_memory(context.moment) || made.computing) return;
  const bool stale = made.id != 0 && !(made.begun == context.moment);
  if (made.id != 0 && made.why.empty() && !stale) return;
  const std::uint64_t bytes = context.index->value_bytes;
  const bool at_once = made.id == 0 && context.moment.since == Since::nothing && bytes <= kReadAtOnce;
  if (at_once && std::exchange(state.surveyed, context.generation) != context.generation)
    return commands.push(command::SurveyTensors{});
  if (ImGui::Button(LineText("Read {} for NaN, Min and Max###survey", human_bytes(bytes)).c_str()))
    survey(context, state, commands);
  explain("All values of every tensor, as a task in the background; it can be cancelled.");
  ImGui::SameLine();
  draw_text(stale ? "Code has run since they were read." : reading_time(bytes, context.statistics.rate()),
            stale ? context.theme.warn : context.theme.dim);
}

// Filter, count, views and columns: in one line where there is room for it.
void draw_first_lines(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  const std::string count = count_text(context, model);
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  const float buttons = buttons_width(), avail = ImGui::GetContentRegionAvail().x;
  const float count_width = ImGui::CalcTextSize(count.c_str()).x + spacing;
  const float least = ImGui::GetFontSize() * kMinFilter;
  const bool one_line = avail - buttons - count_width >= least;
  const std::string moment = moment_text(context, avail - buttons - count_width - spacing - (one_line ? least : 0));
  const float moment_width = moment.empty() ? 0 : ImGui::CalcTextSize(moment.c_str()).x + spacing;
  ImGui::SetNextItemWidth(one_line ? avail - buttons - count_width - moment_width : -1.0F);
  draw_filter(state, model, commands);
  if (one_line) ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  draw_text(count, context.theme.dim);
  const RunMarks& marks = context.index->marks;
  if (marks.any())
    explain([&] {
      return fmt::format("{}: {} new, {} changed, {} gone.", marks_title(marks), grouped(marks.fresh), grouped(marks.changed),
                         grouped(marks.gone.size()));
    });
  if (!moment.empty()) {
    ImGui::SameLine();
    moment_shown(context, moment);
  }
  ImGui::SameLine();
  draw_view_buttons(context, state, model, commands);
  same_line_for(button_width("Columns"));
  if (ImGui::Button("Columns")) ImGui::OpenPopup("columns");
  explain("Which columns to show.");
  draw_columns_popup(state);
  // That the script stands, or that code ran since, is said in any case: beside the last button, or below.
  if (moment.empty() && (context.moment.at_stop || !nothing_ran(context.moment))) {
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string brief = moment_text(context, room);
    same_line_for(text_width(brief));
    moment_shown(context, brief);
  }
}

}  // namespace

void draw_column_choice(TensorTableState& state) {
  // Ticking a column shows it at once; the popup stays open.
  ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    if (ImGui::MenuItem(column.title, nullptr, state.shown[i], column.column != TableColumn::name))
      state.chosen = state.shown.flip(i);
    explain(column.meaning);
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Columns that fit", nullptr, state.chosen.none())) state.chosen.reset();
  explain("The usual columns, and fewer of them in a narrow table. Otherwise those you chose, and the table scrolls sideways.");
  ImGui::PopItemFlag();
}

void draw_table_tools(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  draw_first_lines(context, state, model, commands);
  if (const auto frames = other_frame_chosen(context.host.frames(), context.moment)) {
    draw_wrapped_text(names_frame_line(*frames), context.theme.warn);
    explain(
        "A plain name is what a statement in that frame means by it; \"main().x\" is the local x of main(). The console, "
        "completion and watches use the frame where you are: there a plain name may be another object.");
  }
  if (!model.complaint().empty()) draw_wrapped_text(model.complaint(), context.theme.warn);
  draw_limits_reached(context);
  draw_comparison(context, state, commands);
  draw_survey(context, state, commands);
}

}  // namespace dlscope::app
