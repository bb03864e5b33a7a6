#include "app/panels/tensors/tensor_table_panel.h"

#include <fmt/core.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/models/debug/names_frame.h"
#include "app/models/statistics/statistics_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/tensor_marks.h"
#include "app/panels/tensors/empty_state.h"
#include "app/panels/tensors/table_cells.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/tooltip.h"

namespace dlscope::app {
namespace {

constexpr float kMinFilter = 9;  // font sizes
constexpr std::size_t kComparedName = 32, kFileName = 48, kMostNameless = 4;

// --- above the table --------------------------------------------------------------------------------------------------

void ask(const TensorTableModel& model, Commands& commands, auto&& change) {
  TableQuery query = model.query();
  change(query);
  if (query != model.query()) commands.push(command::AskRows{std::move(query)});
}

std::string count_text(const FrameContext& context, const TensorTableModel& model) {
  const std::string all = counted(context.index->size(), "tensor", "tensors");
  return model.row_count() == context.index->size() ? all : grouped(model.row_count()) + " of " + all;
}

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
  ask(model, commands, [&](TableQuery& query) {
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
    ask(model, commands, [&](TableQuery& query) { query.folding = {.all = !all, .except = {}}; });
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
    ask(model, commands, [&](TableQuery& query) { query.filter = state.filter; });
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

// The name of the shown tensor file, and the way back to the script's tensors.
void draw_file_line(const FrameContext& context, Commands& commands) {
  const std::string_view name = context.file.substr(context.file.rfind('/') + 1);  // npos + 1 is 0
  ImGui::AlignTextToFramePadding();
  draw_text(LineText("File {}", shortened(name, kFileName)), context.theme.accent);
  explain([&] { return std::string(context.file) + "\n" + moment_meaning(context.moment); });
  if (context.host.state() == HostState::absent) return;  // there is no script
  const Action& back = action(ActionId::tensors_leave);
  same_line_for(button_width(back.title));
  if (ImGui::Button(back.title)) commands.push(command::LeaveFile{});
  explain(back.meaning);
}

// Held tensors that have no row, because no name leads to them.
void draw_nameless(const FrameContext& context, std::span<const NamelessLease> nameless, Commands& commands) {
  const std::size_t shown = std::min(nameless.size(), kMostNameless);
  for (const NamelessLease& each : nameless.first(shown)) {
    ImGui::PushID(static_cast<int>(each.lease));
    const std::string_view was = each.name.empty() ? std::string_view("A tensor") : std::string_view(each.name);
    draw_wrapped_text(LineText("{}{}{}: held by dlscope, no name of the program leads to it", shortened(was, kComparedName),
                               each.bytes != 0 ? ", " : "", each.bytes != 0 ? human_bytes(each.bytes) : std::string()),
                      context.theme.warn);
    same_line_for(button_width("Release"));
    if (small_button("Release")) commands.push(command::ReleaseMemory{each.lease, each.name});
    explain("Its memory stays until you release it, although the newest scan found no name that leads to it.");
    ImGui::PopID();
  }
  if (shown < nameless.size()) draw_text(LineText("and {} more of these", nameless.size() - shown), context.theme.warn);
}

void draw_above(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
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
  if (const auto frames = other_frame_chosen(context.host.frames(), context.moment)) {
    draw_wrapped_text(names_frame_line(*frames), context.theme.warn);
    explain(
        "A plain name is what a statement in that frame means by it; \"main().x\" is the local x of main(). The console, "
        "completion and watches use the frame where you are: there a plain name may be another object.");
  }
  if (!model.complaint().empty()) draw_wrapped_text(model.complaint(), context.theme.warn);
  draw_limits_reached(context);
  draw_comparison(context, state, commands);
}

// --- what the values are ----------------------------------------------------------------------------------------------

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

// --- the table --------------------------------------------------------------------------------------------------------

void setup_columns(const ColumnSet& shown) {
  for (const ColumnInfo& column : table_columns()) {
    ImGuiTableColumnFlags flags = column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    if (!shown[static_cast<std::size_t>(column.column)]) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(column.title, flags, column.width * ImGui::GetFontSize(), static_cast<ImGuiID>(column.column));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
}

// Right click on a header: Dear ImGui's entries for widths and order, and the choice of columns.
void draw_header_menu(TensorTableState& state) {
  ImGuiTable* table = ImGui::GetCurrentTable();
  table->DisableDefaultContextMenu = true;
  if (!ImGui::TableBeginContextMenuPopup(table)) return;
  ImGui::TableDrawDefaultContextMenu(table, ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable);
  ImGui::Separator();
  draw_column_choice(state);
  ImGui::EndPopup();
}

void draw_headers() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<int>(column.column);
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::PushID(i);
    ImGui::TableHeader(column.title);
    if (ImGui::IsItemHovered())
      explain_head(fmt::format("{}\nClick: sort. Shift+click: sort by this as well. Right click: columns.", column.meaning));
    ImGui::PopID();
  }
}

// A click on a header that sorts becomes a query; the rows come later.
void read_sort(const TensorTableModel& model, Commands& commands) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  ask(model, commands, [&](TableQuery& query) {
    query.sort.clear();
    for (int i = 0; i < specs->SpecsCount; ++i)
      query.sort.push_back({static_cast<TableColumn>(specs->Specs[i].ColumnUserID),
                            specs->Specs[i].SortDirection == ImGuiSortDirection_Descending});
  });
}

// All lines have the same height, so any line can be scrolled to without drawing the ones before it.
bool line_is_seen(std::size_t line, float height) {
  const float top = static_cast<float>(line) * height, now = ImGui::GetScrollY();
  return top >= now && top <= now + ImGui::GetWindowHeight() - height * 3;
}
void scroll_to_line(std::size_t line, float height) {
  if (line_is_seen(line, height)) return;
  const float view = ImGui::GetWindowHeight() - height * 2;
  const float lines_above = std::floor(view * 0.5F / height);  // whole lines, so that the header cuts none
  ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(line) - lines_above) * height));
}

// 0: takes the remaining height. At least the header and two rows: in a panel that is lower, the panel scrolls.
float least_height() {
  const float row = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  const float least = row * 3 + ImGui::GetStyle().ScrollbarSize;
  return ImGui::GetContentRegionAvail().y < least ? least : 0;
}

void draw_lines(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  const float height = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  // When the table becomes lower, the selected row stays visible.
  const bool other_height = std::exchange(state.view_height, ImGui::GetWindowHeight()) != ImGui::GetWindowHeight();
  if (other_height && state.selection_seen && state.scroll_to == core::kNone32) state.scroll_to = context.selected;
  const auto selected = context.selected != core::kNone32 ? model.row_of(context.selected) : std::nullopt;
  state.selection_seen = selected && (state.scroll_to == context.selected || line_is_seen(*selected, height));
  if (state.scroll_to != core::kNone32) {
    if (const auto line = model.row_of(state.scroll_to)) scroll_to_line(*line, height);
    state.scroll_to = core::kNone32;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.line_count()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.rows_drawn) {
      draw_table_line(context, model, model.line(static_cast<std::size_t>(i)), commands);
    }
  }
}

void draw_table(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Sortable |
                          ImGuiTableFlags_SortTristate | ImGuiTableFlags_SortMulti | ImGuiTableFlags_RowBg |
                          ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  take_fit_request(state.widths);
  const ColumnPlan plan = plan_columns(context, state.widths, model, state.chosen, room);
  state.shown = plan.shown;
  const float width = std::max(room, plan.total);
  if (!ImGui::BeginTable("tensors", static_cast<int>(kTableColumns), kFlags, {0, least_height()}, width)) return;
  setup_columns(state.shown);
  apply_widths(state.widths, plan);
  read_sort(model, commands);
  draw_headers();
  draw_header_menu(state);
  // The arrow keys are handled here: ImGui's own navigation would move a second cursor.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  draw_lines(context, state, model, commands);
  ImGui::PopItemFlag();
  ImGui::EndTable();
}

void draw_nothing_matches(const FrameContext& context, TensorTableState& state, const TensorTableModel& model,
                          Commands& commands) {
  draw_text("No tensor matches the filter.", context.theme.dim);
  if (!ImGui::Button("Show all")) return;
  state.filter.clear();
  ask(model, commands, [](TableQuery& query) { query.filter.clear(); });
}

// --- keys -------------------------------------------------------------------------------------------------------------

// The tensor that the keyboard selects at a line: its own, or the first one of a folded section.
std::uint32_t stop_at(const TensorTableModel& model, std::size_t line) {
  const TableLine& there = model.line(line);
  if (there.row != core::kNone32) return model.tensor_at(line);
  const TableSection& section = model.order()->sections[there.section];
  if (!section.folded) return core::kNone32;
  for (std::uint32_t i = section.first; i < section.first + section.count; ++i) {
    if (model.order()->rows[i] < model.index()->size()) return model.order()->rows[i];
  }
  return core::kNone32;
}

// Skips heads of open sections and gone tensors, in the direction of the step, else backwards.
std::uint32_t next_stop(const TensorTableModel& model, std::ptrdiff_t from, std::ptrdiff_t step) {
  const auto last = static_cast<std::ptrdiff_t>(model.line_count()) - 1;
  const std::ptrdiff_t target = std::clamp<std::ptrdiff_t>(from + step, 0, last);
  for (const std::ptrdiff_t way : {step > 0 ? 1 : -1, step > 0 ? -1 : 1}) {
    for (std::ptrdiff_t line = target; line >= 0 && line <= last; line += way) {
      const std::uint32_t stop = stop_at(model, static_cast<std::size_t>(line));
      if (stop != core::kNone32) return stop;
    }
  }
  return core::kNone32;
}

std::ptrdiff_t step_of_keys(const TensorTableState& state, const TensorTableModel& model) {
  const std::ptrdiff_t page = std::max(1, state.rows_drawn - 2), all = static_cast<std::ptrdiff_t>(model.line_count());
  const std::array<std::pair<ImGuiKey, std::ptrdiff_t>, 6> keys{{{ImGuiKey_DownArrow, 1},
                                                                 {ImGuiKey_UpArrow, -1},
                                                                 {ImGuiKey_PageDown, page},
                                                                 {ImGuiKey_PageUp, -page},
                                                                 {ImGuiKey_End, all},
                                                                 {ImGuiKey_Home, -all}}};
  for (const auto& [key, step] : keys) {
    if (ImGui::IsKeyPressed(key)) return step;
  }
  return 0;
}

void fold_by_keys(const FrameContext& context, const TensorTableModel& model, Commands& commands) {
  const bool left = ImGui::IsKeyPressed(ImGuiKey_LeftArrow, false), right = ImGui::IsKeyPressed(ImGuiKey_RightArrow, false);
  if (model.query().view == TableView::flat || left == right) return;
  if (ImGui::GetIO().KeyCtrl)
    return ask(model, commands, [&](TableQuery& query) { query.folding = {.all = left, .except = {}}; });
  const auto line = model.row_of(context.selected);
  if (!line) return;
  const std::uint32_t section = model.line(*line).section;
  if (section != core::kNone32 && model.order()->sections[section].has_head()) ask_fold(model, section, left, commands);
}

void copy_rows(const FrameContext& context, const TensorTableState& state) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t id : {context.selected, context.compared}) {
    if (id != core::kNone32) rows.push_back(id);
  }
  std::vector<TableColumn> columns;
  for (const ColumnInfo& column : table_columns()) {
    if (state.shown[static_cast<std::size_t>(column.column)]) columns.push_back(column.column);
  }
  if (!rows.empty()) ImGui::SetClipboardText(copied_rows(*context.index, rows, columns, rows.size() > 1).c_str());
}

void handle_keys(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  constexpr auto kNotItsMenus = ImGuiFocusedFlags_ChildWindows | ImGuiFocusedFlags_NoPopupHierarchy;
  if (!ImGui::IsWindowFocused(kNotItsMenus) || ImGui::GetIO().WantTextInput || model.line_count() == 0) return;
  if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_C)) copy_rows(context, state);
  fold_by_keys(context, model, commands);
  const std::ptrdiff_t step = step_of_keys(state, model);
  if (step == 0) return;
  const auto current = model.row_of(context.selected);
  const auto from =
      current ? static_cast<std::ptrdiff_t>(*current) : (step > 0 ? -1 : static_cast<std::ptrdiff_t>(model.line_count()));
  const std::uint32_t stop = next_stop(model, from, step);
  if (stop == core::kNone32) return;
  state.scroll_to = stop;
  commands.push(command::SelectTensor{stop});
}

}  // namespace

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model,
                             std::span<const NamelessLease> nameless, Commands& commands) {
  const int drawn_before = std::exchange(state.rows_drawn, 0);
  if (ImGui::Begin(title_of(ActionContext::tensors))) {
    if (!context.file.empty()) draw_file_line(context, commands);
    draw_nameless(context, nameless, commands);
    if (context.moment.since == Since::looked_again && !context.has_tensors() && context.index->marks.gone.empty()) {
      draw_text("There were no tensors then.", context.theme.dim);
    } else if (!context.file.empty() && !context.has_tensors()) {
      draw_text("There is no tensor in it.", context.theme.dim);
    } else if (!context.has_tensors() && (context.index == nullptr || context.index->marks.gone.empty())) {
      draw_empty_state(context, commands);
    } else if (model.index().get() == context.index) {
      state.rows_drawn = drawn_before;
      handle_keys(context, state, model, commands);
      state.rows_drawn = 0;
      draw_above(context, state, model, commands);
      draw_survey(context, state, commands);
      if (model.line_count() == 0)
        draw_nothing_matches(context, state, model, commands);
      else
        draw_table(context, state, model, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
