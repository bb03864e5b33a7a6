#include "app/panels/values/value_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/layout/bring_into_view.h"
#include "app/models/text/fitted_text.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/row_scroll_bar.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

constexpr float kStaleHatch = 0.35F;  // pale, so that the numbers below stay readable
constexpr std::uint32_t kMaxCells = 20'000;
constexpr std::size_t kMinCharacters = 4, kMaxCharacters = 60;

float column_width(const FrameContext& context, std::size_t characters) {
  characters = std::clamp(characters, kMinCharacters, kMaxCharacters);
  return std::ceil(ImGui::CalcTextSize("0").x * static_cast<float>(characters + 2) + context.px(4));
}

std::string column_label(const ValueGrid& grid, std::uint64_t column) {
  const std::int64_t index = grid.column_index(column);
  return grid.mapping().wrap > 0 ? fmt::format("{:+}", index) : fmt::to_string(index);
}

}  // namespace

std::uint64_t wrap_for_room(const FrameContext& context, const ValuesPanelState& state, std::uint64_t elements) {
  if (elements < 2) return elements;
  const float character = ImGui::CalcTextSize("0").x;
  const auto digits = fmt::to_string(elements - 1).size();
  const float header = character * static_cast<float>(digits + 2), bar = ImGui::GetStyle().ScrollbarSize + 2;
  const float room = ImGui::GetContentRegionAvail().x - header - bar;
  const float fit = room / column_width(context, std::max(state.widest, kMinCharacters));
  return wrap_that_fits(static_cast<std::uint64_t>(std::max(1.0F, fit)));
}

const KeptTable* shown_kept(const FrameContext& context, const ValuesPanelState& state) {
  if (context.bytes_are_its_own(state.tensor) || (state.shows_now && context.reader != nullptr)) return nullptr;
  return state.kept.of(state.tensor, state.mapping, state.field);
}

float value_row_height(const FrameContext& context) { return std::ceil(ImGui::GetTextLineHeight() + context.px(3)); }

void ValueTable::draw() {
  lay_out();
  follow_pin();
  draw_scroll_bars();
  ImGui::SetCursorScreenPos(origin_);
  ImGui::InvisibleButton("cells", {std::max(size_.x, 1.0F), std::max(size_.y, 1.0F)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  hovered_ = ImGui::IsItemHovered();
  focused_ = ImGui::IsItemFocused();
  scroll_by_wheel();
  read();
  draw_headers();
  draw_cells();
  mouse();
  keys();
}

void ValueTable::lay_out() {
  origin_ = ImGui::GetCursorScreenPos();
  const float character = ImGui::CalcTextSize("0").x;
  row_height_ = value_row_height(context_);
  // Either may be the longer one: a slice may run backwards.
  const auto longest = [](const std::string& a, const std::string& b) { return std::max(a.size(), b.size()); };
  const std::uint64_t rows = grid_.rows(), columns = grid_.columns();
  const auto digits = longest(fmt::to_string(grid_.row_index(0)), fmt::to_string(grid_.row_index(rows - 1)));
  header_width_ = character * static_cast<float>(digits + 2);
  const auto header_digits = longest(column_label(grid_, 0), column_label(grid_, columns - 1));
  column_width_ = column_width(context_, std::max(state_.widest, header_digits));
  share_room();
  rows_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.y - row_height_) / row_height_));
  columns_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.x - header_width_) / column_width_));
  last_row_ = grid_.rows() > rows_seen_ ? grid_.rows() - rows_seen_ : 0;
  last_column_ = grid_.columns() > columns_seen_ ? grid_.columns() - columns_seen_ : 0;
  state_.first_row = std::min(state_.first_row, last_row_);
  state_.first_column = std::min(state_.first_column, last_column_);
  state_.cells_from = cell_at(0, 0);
  state_.cell_size = {column_width_, row_height_};
  state_.rows_seen = std::min(rows_seen_, grid_.rows());
}

// A scroll bar takes room from the cells only when there is something to scroll.
void ValueTable::share_room() {
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y -= below_;
  const float bar = ImGui::GetStyle().ScrollbarSize + 2;
  const float wanted_x = header_width_ + column_width_ * static_cast<float>(grid_.columns());
  const float wanted_y = row_height_ + row_height_ * static_cast<float>(grid_.rows());
  bool across = wanted_x > room.x;
  const bool down = wanted_y > room.y - (across ? bar : 0);
  across = across || (down && wanted_x > room.x - bar);
  size_ = {room.x - (down ? bar : 0), room.y - (across ? bar : 0)};
}

// Brings a new or moved pin into view once; scrolling away from it is possible.
void ValueTable::follow_pin() {
  if (context_.pinned == state_.seen_pin) return;
  state_.seen_pin = context_.pinned;
  const auto pinned = context_.values.value_at(context_.pinned);
  if (!pinned) return;
  if (const auto place = grid_.place(*pinned)) bring_into_view(*place);
}

void ValueTable::bring_into_view(CellPlace place) {
  app::bring_into_view(place.row, state_.first_row, rows_seen_, last_row_);
  app::bring_into_view(place.column, state_.first_column, columns_seen_, last_column_);
}

void ValueTable::draw_scroll_bars() {
  row_scroll_bar("##rows", {origin_.x + size_.x + 2, origin_.y}, size_.y, state_.first_row, last_row_);
  if (last_column_ == 0) return;
  const std::uint64_t zero = 0;
  const float bar = ImGui::GetStyle().ScrollbarSize;
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarBg));
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarGrab));
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarGrabActive));
  ImGui::SetCursorScreenPos({origin_.x, origin_.y + size_.y + 2});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::PushFont(nullptr, bar / context_.scale);
  ImGui::SetNextItemWidth(size_.x);
  ImGui::SliderScalar("##columns", ImGuiDataType_U64, &state_.first_column, &zero, &last_column_, "");
  ImGui::PopFont();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
}

// Reads the visible cells; formats them only when something changed since the last frame.
void ValueTable::read() {
  GridWindow wanted{state_.first_row, state_.first_column,
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_seen_ + 1, 2000)),
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(columns_seen_ + 1, 500))};
  wanted.rows = std::min(wanted.rows, kMaxCells / std::max(1U, wanted.columns));
  std::swap(state_.fetched, state_.before);
  take_ownership_change();
  fetch(wanted);
  state_.window = state_.fetched.window;
  state_.cells_read = then_ != nullptr ? 0 : state_.window.cells();
  const std::size_t changed = note_changes();
  state_.changes_seen += changed > 0 ? 1 : 0;
  if (own_ && changed > 0 && !context_.reduced_motion) state_.redraw_until = ImGui::GetTime() + kFlashSeconds;
  const bool same = changed == 0 && state_.before.awaited() == state_.fetched.awaited() &&
                    state_.before.window == state_.window && state_.before.each == state_.fetched.each &&
                    state_.cells.size() == state_.window.cells();
  keep(!same);
  state_.cells_written = same ? 0 : state_.window.cells();
  if (same) return;
  grid_.write(state_.fetched, state_.format, state_.cells);
  for (const GridCell& cell : state_.cells) state_.widest = std::max(state_.widest, cell.text.size());
}

void ValueTable::fetch(GridWindow wanted) {
  if (then_ != nullptr)
    take_kept(*then_, grid_.cut(wanted), grid_.mapping().wrap, state_.fetched);
  else if (context_.reader != nullptr)
    grid_.fetch(*context_.reader, wanted, state_.fetched);
}

// Keeps a small table as a whole, of a large one the visible part.
void ValueTable::keep(bool changed) {
  if (!own_ || (!changed && state_.kept.of(state_.tensor, state_.mapping, state_.field) != nullptr)) return;
  const std::uint64_t rows = grid_.rows(), columns = grid_.columns();
  if (state_.fetched.awaited()) return;
  if (columns > KeptValues::kMaxWhole || rows > KeptValues::kMaxWhole / columns)
    return state_.kept.keep(state_.tensor, state_.mapping, state_.fetched, state_.field);
  CellBytes whole;
  grid_.fetch(*context_.reader, {0, 0, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)}, whole);
  state_.kept.keep(state_.tensor, state_.mapping, whole, state_.field);
}

// Bytes that may not be the tensor's own are not compared with its own, neither earlier nor later ones.
void ValueTable::take_ownership_change() {
  if (std::exchange(state_.own, own_) == own_) return;
  if (own_)
    state_.before = std::exchange(state_.last_own, {});
  else
    state_.last_own = state_.before;
  state_.cells.clear();
}

// The number of cells that changed since the last frame.
std::size_t ValueTable::note_changes() {
  if (own_) return state_.changes.note(state_.before, state_.fetched, tensor_.item_bits, ImGui::GetTime());
  return state_.before.bytes == state_.fetched.bytes && state_.before.complete == state_.fetched.complete ? 0 : 1;
}

void ValueTable::draw_headers() {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, true);
  const AxisMapping& mapping = state_.mapping;
  const auto ink = [&](int axis, bool marked) {
    const bool lit = axis >= 0 && axis == context_.lit_axis();
    return ImGui::GetColorU32(lit ? context_.theme.accent : marked ? context_.theme.text : context_.theme.dim);
  };
  const auto pin = pinned_place();
  // Without an axis that way an index would say nothing: of a scalar neither.
  const bool has_columns = mapping.column >= 0 || mapping.wrap > 0, has_rows = mapping.row >= 0 || mapping.wrap > 0;
  for (std::uint32_t c = 0; has_columns && c < state_.window.columns; ++c) {
    const std::uint64_t column = state_.window.column + c;
    right_aligned(list, cell_at(0, c).x, origin_.y, column_label(grid_, column),
                  ink(mapping.column, pin && pin->column == column));
  }
  list->PopClipRect();
  list->PushClipRect({origin_.x, origin_.y + row_height_}, {origin_.x + header_width_, origin_.y + size_.y}, true);
  for (std::uint32_t r = 0; has_rows && r < state_.window.rows; ++r) {
    const std::uint64_t row = state_.window.row + r;
    list->AddText({origin_.x + context_.px(2), cell_at(r, 0).y}, ink(mapping.row, pin && pin->row == row),
                  fmt::to_string(grid_.row_index(row)).c_str());
  }
  list->PopClipRect();
}

void ValueTable::draw_cells() {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({origin_.x + header_width_, origin_.y + row_height_}, {origin_.x + size_.x, origin_.y + size_.y}, true);
  state_.axis_cells = 0;
  for (std::uint32_t r = 0; r < state_.window.rows; ++r) {
    for (std::uint32_t c = 0; c < state_.window.columns; ++c) draw_cell(list, r, c);
  }
  list->PopClipRect();
}

void ValueTable::draw_cell(ImDrawList* list, std::uint32_t r, std::uint32_t c) {
  const std::uint64_t row = state_.window.row + r, column = state_.window.column + c;
  if (!grid_.has(row, column)) return;
  const ImVec2 at = cell_at(r, c), to{at.x + column_width_ - 1, at.y + row_height_ - 1};
  const GridCell& cell = state_.cells[std::size_t{r} * state_.window.columns + c];
  if (state_.range && selects(*state_.range, grid_.mapping(), row, column))
    list->AddRectFilled(at, {to.x + 1, to.y + 1}, ImGui::GetColorU32(ImGuiCol_TextSelectedBg));
  FocusMark mark = FocusMark::none;
  if (context_.hover.on_tensor() || context_.pinned.on_tensor())
    mark = focus_mark(context_.hover, context_.pinned, tensor_.space, grid_.bytes(row, column));
  const bool on_axis = on_axis_line(state_.mapping, context_.lit_axis(), axis_line_through(), {row, column});
  if (mark == FocusMark::none && on_axis) mark = FocusMark::hovered;
  state_.axis_cells += on_axis ? 1 : 0;
  fill_focus(list, at, to, context_.theme, mark);
  const auto when = own_ ? state_.changes.changed_at(row, column) : std::nullopt;
  if (when)
    mark_changed(list, at, to, context_.theme, context_.scale,
                 context_.reduced_motion ? kFlashSeconds : static_cast<float>(ImGui::GetTime() - *when));
  if ((!cell.readable && !cell.awaited) || (!own_ && then_ == nullptr)) {
    ImVec4 colour = context_.theme.unknown;
    colour.w *= cell.readable ? kStaleHatch : 1.0F;
    hatch(list, at, to, ImGui::GetColorU32(colour), context_.px(8));
  }
  const ImVec4 ink = own_ ? value_colour(context_.theme, cell.value_class) : context_.theme.dim;
  const float left = right_aligned(list, at.x, at.y, cell.text, ImGui::GetColorU32(ink));
  if (cell.readable && own_) mark_value(list, at, to, left, context_.theme, cell.value_class, context_.scale);
  outline_focus(list, at, to, context_.theme, mark, context_.scale);
}

// The pinned cell, else the first visible one.
CellPlace ValueTable::axis_line_through() const {
  return pinned_place().value_or(CellPlace{state_.window.row, state_.window.column});
}

// The pinned cell, when the pin is in this table.
std::optional<CellPlace> ValueTable::pinned_place() const {
  const auto pinned = context_.values.value_at(context_.pinned);
  return pinned ? grid_.place(*pinned) : std::nullopt;
}

ImVec2 ValueTable::cell_at(std::uint32_t r, std::uint32_t c) const {
  return {origin_.x + header_width_ + column_width_ * static_cast<float>(c), origin_.y + row_height_ * static_cast<float>(r + 1)};
}

// A column that the table's right edge cuts is as wide as what is seen of it, and empty where that is too little for any number.
float ValueTable::right_aligned(ImDrawList* list, float x, float y, const std::string& text, ImU32 ink) const {
  constexpr std::size_t kFewest = 6;  // characters
  const float seen = std::min(column_width_, origin_.x + size_.x - x), margin = context_.px(6);
  const float least = ImGui::CalcTextSize("0").x * static_cast<float>(std::min(state_.widest, kFewest)) + margin;
  if (seen < column_width_ && seen < least) return x;
  const FittedNumber shown = fit_number(text, seen - margin, text_width);
  const ImVec2 at{x + shown.left, y};
  list->AddText(at, ink, shown.text.data(), shown.text.data() + shown.text.size());
  if (shown.cut) list->AddText({at.x + text_width(shown.text), y}, ink, LineText("…{}", shown.exponent).c_str());
  return at.x;
}

}  // namespace dlscope::app
