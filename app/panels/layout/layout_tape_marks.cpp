// The marks of the tape: arrows and distances above it, addresses below.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/models/text/format.h"
#include "app/panels/layout/layout_tape_painter.h"

namespace dlscope::app {

void TapePainter::draw_ruler() {
  // Addresses at multiples of a power of two, as many as there is room for.
  const float room = ImGui::CalcTextSize("0x0000 0000 0000 00").x + context_.px(16);
  const double bits_wanted = static_cast<double>(room) / state_.tape.px_per_unit();
  std::int64_t step = 8;
  while (static_cast<double>(step) < bits_wanted && step < (std::int64_t{1} << 61)) step *= 2;
  const ImU32 ink = ImGui::GetColorU32(context_.theme.dim);
  const std::int64_t seen = std::max<std::int64_t>(0, state_.tape.unit_at(0));
  for (std::int64_t bit = (seen + step - 1) / step * step; bit < state_.range.bits; bit += step) {
    const float x = x_of(bit);
    if (x > to_.x) break;
    const auto byte = static_cast<std::uint64_t>(bit / 8);
    const std::string text =
        state_.range.addressed ? grouped_address(state_.range.begin + byte) : fmt::format("+{} B", grouped(byte));
    list_->AddLine({x, ruler_top_}, {x, ruler_top_ + context_.px(4)}, ink);
    const bool whole = x + context_.px(3) + ImGui::CalcTextSize(text.c_str()).x <= to_.x;
    if (whole || bit < seen + step)  // at least one is always written
      list_->AddText({x + context_.px(3), ruler_top_ + context_.px(1)}, ink, text.c_str());
    if (step > state_.range.bits) break;
  }
}

void TapePainter::draw_marks() {
  float y = from_.y;
  const float line = ImGui::GetTextLineHeight();
  if (tensor_.byte_offset > 0 && state_.range.addressed) {
    draw_offset(y + line * 0.5F);
    y += line;
  }
  if (state_.mapping.row >= 0) {
    draw_direction(y + line * 0.5F, state_.mapping.row, grid_.row_stride(), context_.theme.row_axis);
    y += line;
  }
  if (state_.mapping.column >= 0) {
    draw_direction(y + line * 0.5F, state_.mapping.column, grid_.column_stride(), context_.theme.column_axis);
    y += line;
  }
  draw_origin(y);
}

// An arrow from the data pointer to element 0.
void TapePainter::draw_offset(float y) {
  const ImU32 ink = ImGui::GetColorU32(context_.theme.text);
  const float x1 = x_of(state_.range.origin), x0 = state_.range.data ? x_of(*state_.range.data) : left_;
  arrow(x0, x1, y, ink);
  list_->AddLine({x0, y - context_.px(5)}, {x0, strip_top_}, ink);
  const std::string text =
      fmt::format("{}data + byte_offset {}", state_.range.data ? "" : "… ", exact_bytes(tensor_.byte_offset));
  label_beside(text, std::max(x0, x1) + context_.px(6), std::min(x0, x1), y, ink);
}

// An arrow from element 0 to its neighbour along an axis.
void TapePainter::draw_direction(float y, int axis, std::int64_t stride, const ImVec4& colour) {
  const AxisFact& fact = state_.facts[static_cast<std::size_t>(axis)];
  const float half = static_cast<float>(state_.tape.px_per_unit()) * static_cast<float>(layout_.item_bits) * 0.5F;
  const float x0 = x_of(state_.range.origin) + std::min(half, 400.0F);
  if (fact.size <= 1) {
    label_beside(fmt::format("axis {}: size 1, its stride is never used", axis), x0 + context_.px(8), x0, y,
                 ImGui::GetColorU32(context_.theme.dim));
    return;
  }
  const ImU32 ink = ImGui::GetColorU32(colour);
  if (stride == 0) {
    list_->AddCircle({x0, y}, context_.px(4), ink, 0, context_.px(1.5F));
    label_beside(fmt::format("axis {} stays here: stride 0", axis), x0 + context_.px(8), x0, y, ink);
    return;
  }
  float x1 = x_of(state_.range.origin + stride) + std::min(half, 400.0F);
  const float least = context_.px(14);
  if (std::abs(x1 - x0) < least) x1 = stride < 0 ? x0 - least : x0 + least;
  arrow(x0, x1, y, ink);
  label_beside(fmt::format("axis {}: {}{} a step", axis, stride > 0 ? "+" : "", fact.bytes), std::max(x0, x1) + context_.px(6),
               std::min(x0, x1), y, ink);
}

void TapePainter::draw_origin(float y) {
  const float half = static_cast<float>(state_.tape.px_per_unit()) * static_cast<float>(layout_.item_bits) * 0.5F;
  const float x = x_of(state_.range.origin) + std::min(half, 400.0F), side = context_.px(4);
  const ImU32 ink = ImGui::GetColorU32(context_.theme.text);
  list_->AddTriangleFilled({x - side, strip_top_ - side * 2}, {x + side, strip_top_ - side * 2}, {x, strip_top_ - 1}, ink);
  const std::string text = layout_.shape.empty() ? "the element" : "element " + index_text(layout_, 0);
  label_beside(text, x + side * 2, x - side, y + ImGui::GetTextLineHeight() * 0.5F, ink);
}

void TapePainter::arrow(float x0, float x1, float y, ImU32 ink) {
  const float head = context_.px(4), back = x1 > x0 ? -head * 1.6F : head * 1.6F;
  list_->AddCircleFilled({x0, y}, context_.px(2.5F), ink);
  list_->AddLine({x0, y}, {x1 + back, y}, ink, context_.px(1.5F));
  list_->AddTriangleFilled({x1, y}, {x1 + back, y - head}, {x1 + back, y + head}, ink);
}

// Text right of a mark or, when there is no room, left of it.
void TapePainter::label_beside(const std::string& text, float right_of, float left_of, float y, ImU32 ink) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const bool fits = right_of + size.x <= to_.x || left_of - size.x - context_.px(6) < left_;
  const float x = fits ? std::clamp(right_of, left_, std::max(left_, to_.x - size.x)) : left_of - size.x - context_.px(6);
  list_->AddText({x, y - size.y * 0.5F}, ink, text.c_str());
}

}  // namespace dlscope::app
