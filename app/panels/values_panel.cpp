#include "app/panels/values_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/models/format.h"
#include "app/models/value_copy.h"
#include "app/panels/focus_keys.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr int kWheelRows = 3;
constexpr std::uint32_t kMostCells = 20'000;

// A new tensor starts at its first element; the same name in a new snapshot keeps its place when the rank fits.
void follow_selection(const FrameContext& context, ValuesPanelState& state) {
  const core::Snapshot* snapshot = context.index->snapshot.get();
  if (state.snapshot == snapshot && state.tensor == context.selected) return;
  const auto& tensor = context.index->tensor(context.selected);
  const std::string_view name = snapshot->name(tensor);
  const bool same = state.name == name && state.mapping.fixed.size() == tensor.rank;
  state.snapshot = snapshot;
  state.tensor = context.selected;
  state.name = name;
  if (!same) {
    state.mapping = default_mapping(tensor.rank);
    state.first_row = state.first_column = 0;
  }
  state.mapping.fixed.resize(tensor.rank, 0);
  const auto shape = snapshot->shape(tensor);
  for (std::size_t d = 0; d < tensor.rank; ++d) {
    state.mapping.fixed[d] = std::clamp<std::int64_t>(state.mapping.fixed[d], 0, std::max<std::int64_t>(shape[d] - 1, 0));
  }
}

void axis_choice(const char* label, int& axis, int& other, int rank) {
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 5);
  const std::string now = fmt::format("axis {}", axis);
  if (!ImGui::BeginCombo(label, now.c_str())) return;
  for (int d = 0; d < rank; ++d) {
    const std::string text = fmt::format("axis {}", d);
    if (!ImGui::Selectable(text.c_str(), d == axis) || d == axis) continue;
    if (d == other) other = axis;  // they change places
    axis = d;
  }
  ImGui::EndCombo();
}

// Which axes run down and across, and where the others stand. Nothing to choose up to rank 2.
void draw_axis_pickers(const FrameContext& context, ValuesPanelState& state) {
  const auto& tensor = context.index->tensor(state.tensor);
  const auto shape = context.index->snapshot->shape(tensor);
  if (tensor.rank < 2) return;
  axis_choice("down", state.mapping.row, state.mapping.column, tensor.rank);
  ImGui::SameLine();
  axis_choice("across", state.mapping.column, state.mapping.row, tensor.rank);
  for (int d = 0; d < tensor.rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (d == state.mapping.row || d == state.mapping.column || shape[at] < 2) continue;
    ImGui::PushID(d);
    const std::int64_t zero = 0, last = shape[at] - 1;
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 12);
    ImGui::SliderScalar("##index", ImGuiDataType_S64, &state.mapping.fixed[at], &zero, &last, "%lld",
                        ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    words(fmt::format("axis {} of {}", d, shape[at]), context.theme.dim);
    ImGui::PopID();
  }
}

ImVec4 value_colour(const Theme& theme, const GridCell& cell) {
  if (!cell.readable) return theme.unknown;
  switch (cell.value_class) {
    case core::ValueClass::nan:
      return theme.choice == ThemeChoice::dark ? ImVec4(1.0F, 0.45F, 0.95F, 1) : ImVec4(0.70F, 0.0F, 0.62F, 1);
    case core::ValueClass::positive_infinity:
      return theme.warn;
    case core::ValueClass::negative_infinity:
      return theme.bad;
    case core::ValueClass::zero:
      return theme.dim;
    case core::ValueClass::subnormal:
      return theme.accent;
    case core::ValueClass::normal:
      break;
  }
  return theme.text;
}

// Characters a value of this dtype needs, for columns that do not jump while scrolling.
int characters(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  int one = 12;
  if (code == core::DTypeCode::bool_)
    one = 6;
  else if (code == core::DTypeCode::int_ || code == core::DTypeCode::uint)
    one = dtype.bits <= 8 ? 5 : dtype.bits <= 16 ? 7 : dtype.bits <= 32 ? 12 : 16;
  else if (code == core::DTypeCode::complex)
    one = 24;
  else if (dtype.bits <= 8)
    one = 8;
  return std::min(one * std::max<int>(dtype.lanes, 1), 48);
}

// The table of cells: geometry of one frame.
class GridPainter {
 public:
  GridPainter(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands)
      : context_(context), state_(state), grid_(grid), commands_(commands) {}

  void draw() {
    lay_out();
    draw_scroll_bars();
    ImGui::SetCursorScreenPos(origin_);
    ImGui::InvisibleButton("cells", {std::max(size_.x, 1.0F), std::max(size_.y, 1.0F)});
    scroll_by_wheel();
    read();
    draw_headers();
    draw_cells();
    hover();
    context_menu();
  }

 private:
  void lay_out() {
    origin_ = ImGui::GetCursorScreenPos();
    bar_ = ImGui::GetStyle().ScrollbarSize;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    size_ = {room.x - bar_ - 2, room.y - bar_ - 2};
    const float character = ImGui::CalcTextSize("0").x;
    row_height_ = ImGui::GetTextLineHeight() + context_.px(3);
    const auto digits = fmt::formatted_size("{}", grid_.rows());
    header_width_ = character * static_cast<float>(digits + 3);
    column_width_ = character * static_cast<float>(characters(context_.index->tensor(state_.tensor).dtype) + 2);
    rows_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.y - row_height_) / row_height_));
    columns_seen_ = static_cast<std::uint64_t>(std::max(1.0F, (size_.x - header_width_) / column_width_));
    last_row_ = grid_.rows() > rows_seen_ ? grid_.rows() - rows_seen_ : 0;
    last_column_ = grid_.columns() > columns_seen_ ? grid_.columns() - columns_seen_ : 0;
    state_.first_row = std::min(state_.first_row, last_row_);
    state_.first_column = std::min(state_.first_column, last_column_);
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
    if (!ImGui::IsItemHovered()) return;
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const float down = io.KeyShift ? 0 : io.MouseWheel, across = io.KeyShift ? io.MouseWheel : io.MouseWheelH;
    move(state_.first_row, last_row_, down, kWheelRows);
    move(state_.first_column, last_column_, across, 1);
  }

  static void move(std::uint64_t& first, std::uint64_t last, float wheel, int step) {
    if (wheel == 0) return;
    const auto by = static_cast<std::uint64_t>(std::max(1.0F, std::abs(wheel) * static_cast<float>(step)));
    if (wheel > 0)
      first -= std::min(first, by);
    else
      first = std::min(last, first + by);
  }

  void read() {
    GridWindow wanted{state_.first_row, state_.first_column,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_seen_ + 1, 2000)),
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(columns_seen_ + 1, 500))};
    wanted.rows = std::min(wanted.rows, kMostCells / std::max(1U, wanted.columns));
    state_.window = grid_.read(*context_.reader, wanted, state_.cells);
  }

  void draw_headers() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = ImGui::GetColorU32(context_.theme.dim);
    list->PushClipRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, true);
    for (std::uint32_t c = 0; c < state_.window.columns; ++c)
      right_aligned(list, cell_at(0, c).x, origin_.y, fmt::to_string(state_.window.column + c), ink);
    for (std::uint32_t r = 0; r < state_.window.rows; ++r) {
      const std::string text = fmt::to_string(state_.window.row + r);
      list->AddText({origin_.x + context_.px(2), cell_at(r, 0).y}, ink, text.c_str());
    }
    list->PopClipRect();
  }

  void draw_cells() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Focus& focus = context_.hover;
    const core::SpaceId space = context_.index->tensor(state_.tensor).space;
    const bool lights = focus.on_tensor();
    list->PushClipRect({origin_.x + header_width_, origin_.y + row_height_}, {origin_.x + size_.x, origin_.y + size_.y}, true);
    for (std::uint32_t r = 0; r < state_.window.rows; ++r) {
      for (std::uint32_t c = 0; c < state_.window.columns; ++c) {
        const ImVec2 at = cell_at(r, c);
        const GridCell& cell = state_.cells[std::size_t{r} * state_.window.columns + c];
        const ImVec2 to{at.x + column_width_ - 1, at.y + row_height_ - 1};
        const FocusMark mark =
            lights ? focus_mark(focus, context_.pinned, space, grid_.bytes(state_.window.row + r, state_.window.column + c))
                   : FocusMark::none;
        fill_focus(list, at, to, context_.theme, mark);
        outline_focus(list, at, to, context_.theme, mark, context_.scale);
        right_aligned(list, at.x, at.y, cell.text, ImGui::GetColorU32(value_colour(context_.theme, cell)));
      }
    }
    list->PopClipRect();
  }

  void hover() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsItemHovered() || mouse.x < origin_.x + header_width_ || mouse.y < origin_.y + row_height_) return;
    const auto r = static_cast<std::uint32_t>((mouse.y - origin_.y - row_height_) / row_height_);
    const auto c = static_cast<std::uint32_t>((mouse.x - origin_.x - header_width_) / column_width_);
    if (r >= state_.window.rows || c >= state_.window.columns) return;
    const std::uint64_t row = state_.window.row + r, column = state_.window.column + c;
    const Focus focus{.tensor = state_.tensor,
                      .element = grid_.element(row, column),
                      .space = context_.index->tensor(state_.tensor).space,
                      .bytes = grid_.bytes(row, column)};
    commands_.push(command::Hover{focus});
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) commands_.push(command::Pin{focus});
  }

  void context_menu() {
    if (!ImGui::BeginPopupContextItem("copy")) return;
    const auto copy = [&](const char* label, CopyFormat format) {
      if (!ImGui::MenuItem(label)) return;
      const CellRange shown{{state_.window.row, state_.window.column},
                            {state_.window.row + state_.window.rows - 1, state_.window.column + state_.window.columns - 1}};
      const auto copied = copy_cells(grid_, context_.index->tensor(state_.tensor).dtype, shown, format, *context_.reader);
      ImGui::SetClipboardText(copied.text.c_str());
    };
    copy("Copy what is shown, as Python", CopyFormat::python);
    copy("Copy what is shown, as C", CopyFormat::c);
    copy("Copy what is shown, as CSV", CopyFormat::csv);
    ImGui::EndPopup();
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
  Commands& commands_;
  ImVec2 origin_, size_;
  float bar_ = 0, row_height_ = 0, header_width_ = 0, column_width_ = 0;
  std::uint64_t rows_seen_ = 0, columns_seen_ = 0, last_row_ = 0, last_column_ = 0;
};

void draw_selected(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const auto& tensor = context.index->tensor(context.selected);
  group_swatch(context.theme, context.index->colour_of(tensor));
  ImGui::SameLine();
  words(fmt::format("{}   {}", shortened(snapshot.name(tensor), 60),
                    tensor.has_metadata ? core::dtype_name(tensor.dtype) + " " + shape_text(snapshot.shape(tensor)) : ""));
  const std::string why = ValueGrid::why_not(snapshot, tensor);
  if (!why.empty()) {
    wrapped_words("The values cannot be shown: " + why, context.theme.unknown);
    return;
  }
  if (context.reader == nullptr) {
    wrapped_words("The values cannot be shown: there is no process to read them from. Run the script to have one.",
                  context.theme.unknown);
    return;
  }
  ImGui::SameLine(0, context.px(16));
  words("live, not held", context.theme.dim);
  explain(
      "Read from the script's memory each time this is drawn. dlscope does not keep the tensor alive: once the script lets go of "
      "it, other data may stand there.");
  follow_selection(context, state);
  draw_axis_pickers(context, state);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const ValueGrid grid(context.index->snapshot, context.selected, state.mapping);
  if (grid.rows() == 0 || grid.columns() == 0)
    words("no elements", context.theme.dim);
  else
    GridPainter(context, state, grid, commands).draw();
  ImGui::PopFont();
  move_pinned_focus(context, state.mapping, commands);
}

}  // namespace

void draw_values_panel(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  if (ImGui::Begin(kValuesWindow, nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    if (!context.has_tensors() || context.selected == core::kNone32) {
      wrapped_words("The numbers in the selected tensor will be shown here.", context.theme.dim);
    } else {
      draw_selected(context, state, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
