#include "app/panels/heatmap/picture_frame.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/models/heatmap/reversed_axes.h"
#include "app/models/text/fitted_text.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr double kZoomFactor = 1.25, kLargest = 2.5;  // the largest cell, relative to one in which a number fits
constexpr std::size_t kNumberLength = 11;  // characters: most float32 as short as they are exact

// Labels are at round numbers and stay there while the picture is panned.
std::int64_t label_step(double px_per_cell, double least_px) {
  std::int64_t step = 1;
  for (int i = 0; static_cast<double>(step) * px_per_cell < least_px && step < (std::int64_t{1} << 58); ++i)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

// The cell of index 0, from which round numbers are counted; of several axes cell 0.
std::int64_t round_cell(const core::CellAxes& axes, const std::vector<std::uint8_t>& along, std::int64_t length) {
  return along.size() == 1 && is_reversed(axes, along.front()) ? length - 1 : 0;
}

// The first cell from `from` on that is a multiple of `step` away from that one.
std::int64_t first_label(std::int64_t from, std::int64_t step, std::int64_t round) {
  const std::int64_t beyond = (round - from) % step;
  return from + (beyond < 0 ? beyond + step : beyond);
}

}  // namespace

void PictureFrame::lay_out(ImVec2 size, bool square) {
  from_ = ImGui::GetCursorScreenPos();
  from_ = {std::floor(from_.x), std::floor(from_.y)};
  to_ = {std::floor(from_.x + size.x), std::floor(from_.y + size.y)};
  const core::CellCounts counts = core::count_cells(layout_, axes_).value_or(core::CellCounts{});
  const float character = ImGui::CalcTextSize("0").x;
  const auto digits = static_cast<float>(fmt::to_string(std::max<std::int64_t>(counts.rows - 1, 0)).size());
  cells_ = {std::floor(from_.x + (axes_.down.empty() ? 0 : character * (digits + 1))),
            std::floor(from_.y + (axes_.across.empty() ? 0 : ImGui::GetTextLineHeight() + context_.px(2)))};
  natural_ = {character * static_cast<float>(kNumberLength + 1),
              ImGui::GetTextLineHeight() * static_cast<float>(channels()) + context_.px(6)};
  const double high = std::max(1.0, static_cast<double>(to_.y - cells_.y)),
               wide = std::max(1.0, static_cast<double>(to_.x - cells_.x));
  double row = static_cast<double>(natural_.y) * 2, column = static_cast<double>(natural_.x) * 1.5;
  if (square) {
    const double each = std::min({high / static_cast<double>(std::max<std::int64_t>(counts.rows, 1)),
                                  wide / static_cast<double>(std::max<std::int64_t>(counts.columns, 1)), column});
    row = column = each;
  }
  camera_.row_limits = {counts.rows, high, static_cast<double>(natural_.x) * kLargest, row};
  camera_.column_limits = {counts.columns, wide, static_cast<double>(natural_.x) * kLargest, column};
  camera_.rows.settle(camera_.row_limits);
  camera_.columns.settle(camera_.column_limits);
}

void PictureFrame::drag() {
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) return;
  camera_.columns.pan(camera_.column_limits, static_cast<double>(ImGui::GetIO().MouseDelta.x));
  camera_.rows.pan(camera_.row_limits, static_cast<double>(ImGui::GetIO().MouseDelta.y));
}

void PictureFrame::zoom_by_wheel() {
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // claimed beforehand: otherwise the first notch would scroll the panel
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  zoom(at_mouse(), std::pow(kZoomFactor, static_cast<double>(std::clamp(io.MouseWheel, -8.0F, 8.0F))));
}

void PictureFrame::zoom(PixelPlace at, double factor) {
  camera_.columns.zoom(camera_.column_limits, at.column, factor);
  camera_.rows.zoom(camera_.row_limits, at.row, factor);
}

void PictureFrame::zoom_by_key(PixelPlace at, bool in) { zoom(at, in ? kZoomFactor : 1 / kZoomFactor); }

PixelPlace PictureFrame::at_mouse() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return {std::max(0.0, static_cast<double>(mouse.y - cells_.y)), std::max(0.0, static_cast<double>(mouse.x - cells_.x))};
}

PixelPlace PictureFrame::middle() const {
  return {static_cast<double>(to_.y - cells_.y) / 2, static_cast<double>(to_.x - cells_.x) / 2};
}

std::optional<PixelPlace> PictureFrame::place_of(std::uint64_t element) const {
  const auto cell = cell_of(layout_, axes_, element);
  if (!cell) return std::nullopt;
  const PixelPlace at{(camera_.rows.x_of(cell->row) + camera_.rows.x_of(cell->row + 1)) / 2,
                      (camera_.columns.x_of(cell->column) + camera_.columns.x_of(cell->column + 1)) / 2};
  const bool seen = at.row >= 0 && at.column >= 0 && at.row < camera_.row_limits.room && at.column < camera_.column_limits.room;
  return seen ? std::optional(at) : std::nullopt;
}

void PictureFrame::fit() {
  camera_.columns.fit(camera_.column_limits);
  camera_.rows.fit(camera_.row_limits);
}

void PictureFrame::zoom_to_numbers(PixelPlace at, bool square) {
  camera_.columns.zoom(camera_.column_limits, at.column, static_cast<double>(natural_.x) / camera_.columns.px_per_unit());
  camera_.rows.zoom(camera_.row_limits, at.row,
                    static_cast<double>(square ? natural_.x : natural_.y) / camera_.rows.px_per_unit());
}

void PictureFrame::reveal(CellAt cell) {
  camera_.rows.reveal(camera_.row_limits, cell.row, 1);
  camera_.columns.reveal(camera_.column_limits, cell.column, 1);
}

void PictureFrame::draw_tiles(ImDrawList* list) const {
  const auto lines = [&](const std::vector<std::uint8_t>& axes, const AxisView& view, std::int64_t all, bool down) {
    if (axes.size() < 2) return;
    const std::int64_t inner = layout_.shape[axes.back()];
    if (static_cast<double>(inner) * view.px_per_unit() < static_cast<double>(context_.px(6))) return;
    const float room = down ? to_.y - cells_.y : to_.x - cells_.x;
    for (std::int64_t cell = (std::max<std::int64_t>(view.unit_at(0), 0) / inner + 1) * inner; cell < all; cell += inner) {
      const auto at = std::floor(static_cast<float>(view.x_of(cell)));
      if (at > room) break;
      const ImVec2 a = down ? ImVec2{cells_.x, cells_.y + at} : ImVec2{cells_.x + at, cells_.y};
      const ImVec2 b = down ? ImVec2{to_.x, cells_.y + at} : ImVec2{cells_.x + at, to_.y};
      list->AddLine(a, b, ImGui::GetColorU32(context_.theme.panel), context_.px(2));
    }
  };
  lines(axes_.down, camera_.rows, camera_.row_limits.length, true);
  lines(axes_.across, camera_.columns, camera_.column_limits.length, false);
}

// The index of a cell along one direction: "7", or "2,7" for two axes.
std::string PictureFrame::label(const std::vector<std::uint8_t>& axes, std::int64_t cell) const {
  cell = number_of_line(layout_, axes_, axes, cell);
  std::string out;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t size = layout_.shape[axes[i]];
    out = fmt::to_string(cell % size) + (out.empty() ? "" : ",") + out;
    cell /= size;
  }
  return out;
}

void PictureFrame::draw_headers(ImDrawList* list) const {
  const core::CellWindow seen = seen_cells(camera_);
  const float line = ImGui::GetTextLineHeight();
  if (!axes_.across.empty()) {
    const AxisView& view = camera_.columns;
    const float width =
        ImGui::CalcTextSize(label(axes_.across, std::max<std::int64_t>(seen.column + seen.columns - 1, 0)).c_str()).x;
    const std::int64_t step = label_step(view.px_per_unit(), static_cast<double>(width + context_.px(12)));
    const std::int64_t first = first_label(seen.column, step, round_cell(axes_, axes_.across, camera_.column_limits.length));
    for (std::int64_t c = first; c < seen.column + seen.columns; c += step) {
      const float x = cells_.x + static_cast<float>(view.x_of(c));
      const std::string text = label(axes_.across, c);
      if (x >= cells_.x - 1 && x + ImGui::CalcTextSize(text.c_str()).x <= to_.x)
        list->AddText({std::floor(x), from_.y}, ImGui::GetColorU32(context_.theme.column_axis), text.c_str());
    }
  }
  if (axes_.down.empty()) return;
  const AxisView& view = camera_.rows;
  const std::int64_t step = label_step(view.px_per_unit(), static_cast<double>(line * 1.4F));
  const std::int64_t first = first_label(seen.row, step, round_cell(axes_, axes_.down, camera_.row_limits.length));
  for (std::int64_t r = first; r < seen.row + seen.rows; r += step) {
    const float middle = cells_.y + static_cast<float>((view.x_of(r) + view.x_of(r + 1)) / 2);
    const float top = std::floor(std::max(middle - line / 2, from_.y));
    if (middle >= cells_.y && top + line <= to_.y)
      list->AddText({from_.x, top}, ImGui::GetColorU32(context_.theme.row_axis), label(axes_.down, r).c_str());
  }
}

bool PictureFrame::has_room_for_numbers() const {
  const float characters = axes_.channel ? 6 : 4;
  return camera_.rows.px_per_unit() >= static_cast<double>(ImGui::GetTextLineHeight() * static_cast<float>(channels())) &&
         camera_.columns.px_per_unit() >= static_cast<double>(ImGui::CalcTextSize("0").x * characters);
}

void PictureFrame::draw_ring(ImDrawList* list, std::uint64_t element, FocusMark mark) const {
  const auto cell = cell_of(layout_, axes_, element);
  if (!cell) return;
  ImVec2 from = corner(cell->row, cell->column), to = corner(cell->row + 1, cell->column + 1);
  const float least = context_.px(15);  // what is inside the two rings is seen: a NaN that is four pixels wide
  const auto widen = [least](float& a, float& b) {
    if (b - a >= least) return;
    const float middle = std::floor((a + b) / 2);
    a = middle - std::floor(least / 2);
    b = a + least;
  };
  widen(from.x, to.x);
  widen(from.y, to.y);
  outline_focus(list, from, to, context_.theme, mark, context_.scale);
}

void PictureFrame::draw_number(ImDrawList* list, CellAt cell, float top, ImU32 ink, const std::string& number) const {
  const float from = corner(cell.row, cell.column).x, to = corner(cell.row, cell.column + 1).x, gap = context_.px(4);
  const FittedNumber fitted = fit_number(number, to - from - gap, text_width);
  if (fitted.text.empty()) return;
  const LineText text("{}{}{}", fitted.text, fitted.cut ? "…" : "", fitted.exponent);
  list->AddText({std::floor((from + to - text_width(text)) / 2), std::floor(top)}, ink, text.c_str());
}

ImVec2 PictureFrame::corner(std::int64_t row, std::int64_t column) const {
  return {cells_.x + static_cast<float>(camera_.columns.x_of(column)), cells_.y + static_cast<float>(camera_.rows.x_of(row))};
}

std::optional<CellAt> PictureFrame::cell_at(ImVec2 place) const {
  if (place.x < cells_.x || place.y < cells_.y || place.x >= to_.x || place.y >= to_.y) return std::nullopt;
  const CellAt cell{camera_.rows.unit_at(static_cast<double>(place.y - cells_.y)),
                    camera_.columns.unit_at(static_cast<double>(place.x - cells_.x))};
  const bool exists =
      cell.row >= 0 && cell.column >= 0 && cell.row < camera_.row_limits.length && cell.column < camera_.column_limits.length;
  return exists ? std::optional(cell) : std::nullopt;
}

}  // namespace dlscope::app
