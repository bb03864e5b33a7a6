#include "app/panels/value_cells.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/models/element_words.h"
#include "app/models/focus_words.h"
#include "app/models/format.h"
#include "app/panels/focus_keys.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

constexpr int kWheelRows = 3;
constexpr std::uint32_t kMostCells = 20'000;
constexpr std::size_t kLeastCharacters = 4, kMostCharacters = 60;
constexpr float kLeastZoom = 0.6F, kMostZoom = 3.0F;

// The table of cells: geometry of one frame.
class GridPainter {
 public:
  GridPainter(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below, Commands& commands)
      : context_(context),
        state_(state),
        grid_(grid),
        tensor_(context.index->tensor(state.tensor)),
        below_(below),
        commands_(commands) {}

  void draw() {
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

 private:
  void lay_out() {
    origin_ = ImGui::GetCursorScreenPos();
    bar_ = ImGui::GetStyle().ScrollbarSize;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    size_ = {room.x - bar_ - 2, room.y - bar_ - 2 - below_};
    const float character = ImGui::CalcTextSize("0").x;
    row_height_ = std::ceil(ImGui::GetTextLineHeight() + context_.px(3));
    const auto digits = fmt::formatted_size("{}", grid_.rows() - 1);
    header_width_ = character * static_cast<float>(digits + 2);
    const auto header_digits = fmt::formatted_size("{}", grid_.columns() - 1);
    const std::size_t characters = std::clamp(std::max(state_.widest, header_digits), kLeastCharacters, kMostCharacters);
    column_width_ = std::ceil(character * static_cast<float>(characters + 2) + context_.px(4));
    rows_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.y - row_height_) / row_height_));
    columns_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.x - header_width_) / column_width_));
    last_row_ = grid_.rows() > rows_seen_ ? grid_.rows() - rows_seen_ : 0;
    last_column_ = grid_.columns() > columns_seen_ ? grid_.columns() - columns_seen_ : 0;
    state_.first_row = std::min(state_.first_row, last_row_);
    state_.first_column = std::min(state_.first_column, last_column_);
    state_.cells_from = cell_at(0, 0);
    state_.cell_size = {column_width_, row_height_};
  }

  // A pin that is new, or moved, is brought into view once; scrolling away from it stays possible.
  void follow_pin() {
    if (context_.pinned == state_.seen_pin) return;
    state_.seen_pin = context_.pinned;
    if (context_.pinned.tensor != state_.tensor || !context_.pinned.element) return;
    bring_into_view(place_of(grid_.layout(), state_.mapping, *context_.pinned.element));
  }

  void bring_into_view(CellPlace place) {
    bring(place.row, state_.first_row, rows_seen_, last_row_);
    bring(place.column, state_.first_column, columns_seen_, last_column_);
  }
  static void bring(std::uint64_t at, std::uint64_t& first, std::uint64_t seen, std::uint64_t last) {
    const bool near = at + 1 + seen >= first && at <= first + seen + seen;
    if (at < first)
      first = near ? at : at - std::min(at, seen / 2);
    else if (at >= first + seen)
      first = near ? at - seen + 1 : at - seen / 2;
    first = std::min(first, last);
  }

  void draw_scroll_bars() {
    const std::uint64_t zero = 0;
    if (last_row_ > 0) {
      ImGui::SetCursorScreenPos({origin_.x + size_.x + 2, origin_.y});
      ImGui::VSliderScalar("##rows", {bar_, size_.y}, ImGuiDataType_U64, &state_.first_row, &last_row_, &zero, "");
    }
    if (last_column_ > 0) {
      ImGui::SetCursorScreenPos({origin_.x, origin_.y + size_.y + 2});
      ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
      ImGui::PushFont(nullptr, bar_ / context_.scale);
      ImGui::SetNextItemWidth(size_.x);
      ImGui::SliderScalar("##columns", ImGuiDataType_U64, &state_.first_column, &zero, &last_column_, "");
      ImGui::PopFont();
      ImGui::PopStyleVar();
    }
  }

  void scroll_by_wheel() {
    if (!hovered_) return;
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    if (io.KeyCtrl) {
      if (io.MouseWheel != 0) state_.zoom = std::clamp(state_.zoom * std::pow(1.1F, io.MouseWheel), kLeastZoom, kMostZoom);
      return;
    }
    const float down = io.KeyShift ? 0 : io.MouseWheel, across = io.KeyShift ? io.MouseWheel : io.MouseWheelH;
    scroll(state_.first_row, last_row_, down, kWheelRows);
    scroll(state_.first_column, last_column_, across, 1);
  }
  static void scroll(std::uint64_t& first, std::uint64_t last, float wheel, int step) {
    if (wheel == 0) return;
    const auto by = static_cast<std::uint64_t>(std::max(1.0F, std::abs(wheel) * static_cast<float>(step)));
    first = wheel > 0 ? first - std::min(first, by) : std::min(last, first + by);
  }

  // Reads the visible cells; writes them out only when something is different from the last frame.
  void read() {
    GridWindow wanted{state_.first_row, state_.first_column,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_seen_ + 1, 2000)),
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(columns_seen_ + 1, 500))};
    wanted.rows = std::min(wanted.rows, kMostCells / std::max(1U, wanted.columns));
    std::swap(state_.fetched, state_.before);
    grid_.fetch(*context_.reader, wanted, state_.fetched);
    state_.window = state_.fetched.window;
    state_.cells_read = state_.window.cells();
    const std::size_t changed = state_.changes.note(state_.before, state_.fetched, tensor_.item_bits, ImGui::GetTime());
    if (changed > 0) state_.redraw_until = ImGui::GetTime() + kFlashSeconds;
    const bool same = changed == 0 && state_.before.window == state_.window && state_.before.each == state_.fetched.each &&
                      state_.cells.size() == state_.window.cells();
    state_.cells_written = same ? 0 : state_.cells_read;
    if (same) return;
    grid_.write(state_.fetched, state_.format, state_.cells);
    for (const GridCell& cell : state_.cells) state_.widest = std::max(state_.widest, cell.text.size());
  }

  void draw_headers() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, true);
    const auto ink = [&](bool marked) { return ImGui::GetColorU32(marked ? context_.theme.text : context_.theme.dim); };
    const auto pin = pinned_place();
    for (std::uint32_t c = 0; c < state_.window.columns; ++c) {
      const std::uint64_t column = state_.window.column + c;
      right_aligned(list, cell_at(0, c).x, origin_.y, fmt::to_string(column), ink(pin && pin->column == column));
    }
    list->PopClipRect();
    list->PushClipRect({origin_.x, origin_.y + row_height_}, {origin_.x + header_width_, origin_.y + size_.y}, true);
    for (std::uint32_t r = 0; r < state_.window.rows; ++r) {
      const std::uint64_t row = state_.window.row + r;
      list->AddText({origin_.x + context_.px(2), cell_at(r, 0).y}, ink(pin && pin->row == row), fmt::to_string(row).c_str());
    }
    list->PopClipRect();
  }

  void draw_cells() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect({origin_.x + header_width_, origin_.y + row_height_}, {origin_.x + size_.x, origin_.y + size_.y}, true);
    for (std::uint32_t r = 0; r < state_.window.rows; ++r) {
      for (std::uint32_t c = 0; c < state_.window.columns; ++c) draw_cell(list, r, c);
    }
    list->PopClipRect();
  }

  void draw_cell(ImDrawList* list, std::uint32_t r, std::uint32_t c) {
    const std::uint64_t row = state_.window.row + r, column = state_.window.column + c;
    const ImVec2 at = cell_at(r, c), to{at.x + column_width_ - 1, at.y + row_height_ - 1};
    const GridCell& cell = state_.cells[std::size_t{r} * state_.window.columns + c];
    if (state_.range && state_.range->contains(row, column))
      list->AddRectFilled(at, {to.x + 1, to.y + 1}, ImGui::GetColorU32(ImGuiCol_TextSelectedBg));
    FocusMark mark = FocusMark::none;
    if (context_.hover.on_tensor() || context_.pinned.on_tensor())
      mark = focus_mark(context_.hover, context_.pinned, tensor_.space, grid_.bytes(row, column));
    fill_focus(list, at, to, context_.theme, mark);
    if (const auto when = state_.changes.changed_at(row, column))
      mark_changed(list, at, to, context_.theme, context_.scale, static_cast<float>(ImGui::GetTime() - *when));
    if (!cell.readable)
      hatch(list, at, to, ImGui::GetColorU32(context_.theme.unknown), context_.px(8));
    else
      mark_value(list, at, to, context_.theme, cell.value_class, context_.scale);
    right_aligned(list, at.x, at.y, cell.text, ImGui::GetColorU32(value_colour(context_.theme, cell.value_class)));
    outline_focus(list, at, to, context_.theme, mark, context_.scale);
  }

  // --- mouse ------------------------------------------------------------------------------------------------------------

  void mouse() {
    if (state_.dragging) drag();
    if (!hovered_) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over_rows = mouse.x < origin_.x + header_width_, over_columns = mouse.y < origin_.y + row_height_;
    const CellPlace at = place_at(mouse);
    if (at.row >= state_.window.row + state_.window.rows || at.column >= state_.window.column + state_.window.columns) return;
    if (over_rows || over_columns)
      on_header(at, over_rows, over_columns);
    else
      on_cell(at);
  }

  void on_header(CellPlace at, bool over_rows, bool over_columns) {
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    const std::uint64_t end_row = grid_.rows() - 1, end_column = grid_.columns() - 1;
    if (clicked && over_rows && over_columns) state_.range = CellRange{{0, 0}, {end_row, end_column}};
    if (clicked && over_rows && !over_columns) state_.range = CellRange{{at.row, 0}, {at.row, end_column}};
    if (clicked && over_columns && !over_rows) state_.range = CellRange{{0, at.column}, {end_row, at.column}};
    std::string text;
    const AxisMapping& mapping = state_.mapping;
    if (!over_columns || over_rows) text += axis_words("Down", mapping.row, over_columns ? std::nullopt : std::optional(at.row));
    if (over_columns && over_rows) text += "\n";
    if (over_columns) text += axis_words("Across", mapping.column, over_rows ? std::nullopt : std::optional(at.column));
    explain(text);
  }

  [[nodiscard]] std::string axis_words(const char* way, int axis, std::optional<std::uint64_t> at) const {
    if (axis < 0) return fmt::format("{}: no axis", way);
    const std::string where = at ? fmt::format(", index {}", *at) : "";
    return fmt::format("{}: axis {}{}, {}", way, axis, where, stride_words(*context_.index->snapshot, tensor_, axis));
  }

  void on_cell(CellPlace at) {
    const Focus focus = focus_of(at);
    commands_.push(command::Hover{focus});
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
      state_.menu_cell = at;
      ImGui::OpenPopup("cell menu");
    }
    const auto pin = pinned_place();
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      if (ImGui::GetIO().KeyShift && pin) {
        state_.range = CellRange{*pin, at};
        return;
      }
      state_.range.reset();
      state_.dragging = true;
      commands_.push(command::Pin{focus});
    }
    if (!state_.dragging) describe(at, *focus.element);
  }

  // From the cell that was clicked, which is pinned, to where the mouse is; past the edge it scrolls.
  void drag() {
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
      state_.dragging = false;
      return;
    }
    const auto pin = pinned_place();
    if (!pin || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (mouse.y > origin_.y + size_.y) scroll(state_.first_row, last_row_, -1, 1);
    if (mouse.y < origin_.y + row_height_) scroll(state_.first_row, last_row_, 1, 1);
    if (mouse.x > origin_.x + size_.x) scroll(state_.first_column, last_column_, -1, 1);
    if (mouse.x < origin_.x + header_width_) scroll(state_.first_column, last_column_, 1, 1);
    const CellPlace at = place_at(mouse);
    const CellRange range{*pin, {std::min(at.row, grid_.rows() - 1), std::min(at.column, grid_.columns() - 1)}};
    if (!range.is_one() || state_.range) state_.range = range;
  }

  // Tooltip: everything about one value.
  void describe(CellPlace at, std::uint64_t element) const {
    if (state_.window.columns == 0 || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
    const std::size_t i = (at.row - state_.window.row) * state_.window.columns + (at.column - state_.window.column);
    if (i >= state_.cells.size()) return;
    std::string text = index_text(grid_.layout(), element);
    if (!state_.cells[i].readable) {
      explain(text + "\nThis memory cannot be read now: the script may have let go of it.");
      return;
    }
    const auto as = [&](NumberStyle style) {
      return element_text(tensor_.dtype, state_.fetched.of(i), state_.fetched.bits[i], {style, -1}).text;
    };
    text += " = " + as(NumberStyle::automatic);
    const std::string words = class_words(state_.cells[i].value_class);
    if (!words.empty()) text += "\n" + words;
    if (tensor_.dtype.lanes == 1 && tensor_.dtype.bits <= 64)
      text += "\nhex   " + as(NumberStyle::hex) + "\nbits  " + as(NumberStyle::bits);
    text += "\n" + grouped_address(grid_.bytes(at.row, at.column).begin);
    explain(text);
  }

  // --- keys -------------------------------------------------------------------------------------------------------------

  void keys() {
    const bool has_pin = pinned_place().has_value();
    if (!(focused_ || (has_pin && ImGui::IsWindowFocused())) || ImGui::IsAnyItemActive()) return;
    const auto key = pressed_step_key();
    if (!key) return;
    if (!has_pin) {
      commands_.push(command::Pin{focus_of({state_.first_row, state_.first_column})});
      return;
    }
    if (!key->extend) {
      state_.range.reset();
      pin_element(stepped(grid_.layout(), state_.mapping, *context_.pinned.element, key->step));
      return;
    }
    const CellPlace anchor = *pinned_place(), head = state_.range ? state_.range->head : anchor;
    const std::uint64_t next = stepped(grid_.layout(), state_.mapping, grid_.element(head.row, head.column), key->step);
    state_.range = CellRange{anchor, place_of(grid_.layout(), state_.mapping, next)};
    bring_into_view(state_.range->head);
  }

  void pin_element(std::uint64_t element) { commands_.push(command::Pin{focus_on(*context_.index, state_.tensor, element)}); }

  // --- places -----------------------------------------------------------------------------------------------------------

  // The pin's cell, when it is one of this table's.
  [[nodiscard]] std::optional<CellPlace> pinned_place() const {
    const Focus& pinned = context_.pinned;
    if (pinned.tensor != state_.tensor || !pinned.element || *pinned.element >= tensor_.elements) return std::nullopt;
    return place_of(grid_.layout(), state_.mapping, *pinned.element);
  }
  [[nodiscard]] Focus focus_of(CellPlace at) const {
    return {.tensor = state_.tensor,
            .element = grid_.element(at.row, at.column),
            .space = tensor_.space,
            .bytes = grid_.bytes(at.row, at.column)};
  }
  [[nodiscard]] CellPlace place_at(ImVec2 mouse) const {
    const float r = std::max(0.0F, (mouse.y - origin_.y - row_height_) / row_height_);
    const float c = std::max(0.0F, (mouse.x - origin_.x - header_width_) / column_width_);
    return {state_.window.row + static_cast<std::uint64_t>(r), state_.window.column + static_cast<std::uint64_t>(c)};
  }
  [[nodiscard]] ImVec2 cell_at(std::uint32_t r, std::uint32_t c) const {
    return {origin_.x + header_width_ + column_width_ * static_cast<float>(c),
            origin_.y + row_height_ * static_cast<float>(r + 1)};
  }
  void right_aligned(ImDrawList* list, float x, float y, const std::string& text, ImU32 ink) const {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    list->AddText({x + std::max(0.0F, column_width_ - width - context_.px(6)), y}, ink, text.c_str());
  }

  const FrameContext& context_;
  ValuesPanelState& state_;
  const ValueGrid& grid_;
  const core::TensorRecord& tensor_;
  float below_;
  Commands& commands_;
  bool hovered_ = false, focused_ = false;
  ImVec2 origin_, size_;
  float bar_ = 0, row_height_ = 0, header_width_ = 0, column_width_ = 0;
  std::uint64_t rows_seen_ = 0, columns_seen_ = 0, last_row_ = 0, last_column_ = 0;
};

}  // namespace

void draw_value_cells(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below,
                      Commands& commands) {
  if (context.asked(ActionId::values_larger)) state.zoom = std::min(kMostZoom, state.zoom * 1.25F);
  if (context.asked(ActionId::values_smaller)) state.zoom = std::max(kLeastZoom, state.zoom / 1.25F);
  if (context.asked(ActionId::values_normal)) state.zoom = 1;
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * state.zoom);
  GridPainter(context, state, grid, below, commands).draw();
  ImGui::PopFont();
  draw_value_menu(context, state, grid, commands);
}

}  // namespace dlscope::app
