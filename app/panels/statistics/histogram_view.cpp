#include "app/panels/statistics/histogram_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/tooltip.h"

namespace dlscope::app {
namespace {

constexpr float kMinLines = 5, kMaxLines = 16;  // height of the bars, in lines of text

struct Room {
  ImVec2 from, to;
};

std::uint64_t finite_values(const core::Histogram& histogram) {
  std::uint64_t all = histogram.below + histogram.above;
  for (const std::uint64_t count : histogram.bins) all += count;
  return all;
}

void draw_head(const FrameContext& context, HistogramView& view, const core::Histogram& histogram) {
  bool logarithmic = view.scale == HistogramScale::logarithmic;
  if (ImGui::Checkbox("log", &logarithmic)) view.scale = logarithmic ? HistogramScale::logarithmic : HistogramScale::linear;
  explain("The height of a bar grows with the logarithm of its count: rare values are seen beside frequent ones.");
  const std::string outside = outlier_text(histogram);
  if (outside.empty()) return;
  ImGui::SameLine();
  draw_text("outside: " + outside, context.theme.warn);
  explain("The range is that of the bulk of the values, so that a few far ones do not push all others into one bar.");
}

// The numbers at the ends of the range, and 0 where it is inside.
void draw_axis(const FrameContext& context, const std::vector<HistogramBar>& bars, ImVec2 at, float width, BinnedValues values) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double low = bars.front().low, last = bars.back().high;
  const double high = values == BinnedValues::whole ? last - 1 : last;
  const ImU32 ink = ImGui::GetColorU32(context.theme.dim);
  const int digits = digits_of_ends(low, high);
  // Of the integers that a float64 cannot tell apart. Their range begins one step below the least: that of 2^53 at 2^53 - 1.
  const bool is_rounded = values == BinnedValues::whole && low == high && std::abs(low) >= 0x1p53 - 1;
  const LineText left("{}{:.{}g}", is_rounded ? "≈ " : "", low, digits);
  const LineText right("{:.{}g}", high, low == high ? 0 : digits);
  const float left_width = ImGui::CalcTextSize(left.c_str()).x, right_width = ImGui::CalcTextSize(right.c_str()).x;
  list->AddText(at, ink, left.c_str());
  const bool fits = left_width + right_width + context.px(8) <= width;
  if (low != high && fits) list->AddText({at.x + width - right_width, at.y}, ink, right.c_str());
  if (!(low < 0 && last > 0)) return;
  const float zero = at.x + width * static_cast<float>(-low / (last - low)), own = ImGui::CalcTextSize("0").x;
  list->AddLine({zero, at.y - context.px(3)}, {zero, at.y}, ink, context.px(1));
  if (zero - own > at.x + left_width && zero + own < at.x + width - right_width) list->AddText({zero - own / 2, at.y}, ink, "0");
}

// One end of the heat map's colour range: a line with a grip, moved by the mouse. A number outside of the bars is drawn at their
// edge.
void draw_handle(const FrameContext& context, const char* name, const std::vector<HistogramBar>& bars, const Room& room,
                 double& value, ColourEnds& ends, ImVec2& grip) {
  const double low = bars.front().low, high = bars.back().high, part = std::clamp((value - low) / (high - low), 0.0, 1.0);
  const float x = std::round(room.from.x + static_cast<float>(part) * (room.to.x - room.from.x)), wide = context.px(5);
  grip = {x, room.from.y + wide};
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({x - wide, room.from.y});
  ImGui::InvisibleButton(name, {wide * 2, room.to.y - room.from.y});
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0)) {
    const double at = static_cast<double>((ImGui::GetIO().MousePos.x - room.from.x) / (room.to.x - room.from.x));
    value = low + std::clamp(at, 0.0, 1.0) * (high - low);
    ends.moved = true;
  }
  explain([&] { return fmt::format("{:.6g}: the number with the {} colour of the heat map. Drag it.", value, name); });
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(lit ? context.theme.accent : context.theme.text);
  list->AddLine({x, room.from.y}, {x, room.to.y}, ink, context.px(lit ? 2.0F : 1.0F));
  list->AddTriangleFilled({x - wide, room.from.y}, {x + wide, room.from.y}, {x, room.from.y + wide * 1.5F}, ink);
  ImGui::SetCursorScreenPos(before);
}

void draw_handles(const FrameContext& context, HistogramView& view, const std::vector<HistogramBar>& bars, const Room& room,
                  ColourEnds& ends) {
  if (!(bars.back().high > bars.front().low)) return;
  draw_handle(context, "first", bars, room, ends.low, ends, view.handles[0]);
  draw_handle(context, "last", bars, room, ends.high, ends, view.handles[1]);
  if (ends.moved && ends.low > ends.high) std::swap(ends.low, ends.high);
}

}  // namespace

void draw_histogram(const FrameContext& context, HistogramView& view, const core::Statistics& statistics, BinnedValues values,
                    ColourEnds& ends) {
  const core::Histogram& histogram = statistics.histogram;
  view.under_mouse = -1;
  if (!histogram.valid) return;
  draw_head(context, view, histogram);
  const float width = std::floor(ImGui::GetContentRegionAvail().x), line = ImGui::GetTextLineHeight();
  if (width < line) return;
  const float height =
      std::floor(std::clamp(ImGui::GetContentRegionAvail().y - line * 1.5F, line * kMinLines, line * kMaxLines));
  const auto most = static_cast<std::size_t>(std::max(1.0F, width / std::max(1.0F, context.px(2))));
  const auto& bars =
      view.bars.get({context.generation, context.selected, context.statistics.summaries_revision(), most, view.scale},
                    [&](std::vector<HistogramBar>& out) { out = histogram_bars(histogram, most, view.scale, values); });
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::SetNextItemAllowOverlap();  // the handles are on top of it
  ImGui::InvisibleButton("histogram", {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(context.theme.background));
  const auto count = static_cast<float>(bars.size());
  if (hovered)
    view.under_mouse =
        std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - at.x) / width * count), 0, static_cast<int>(count) - 1);
  const bool sample = statistics.summary.method == core::StatisticsMethod::sample;
  ImVec4 colour = context.theme.accent;
  if (sample) colour.w = 0.55F;
  const float gap = width / count >= context.px(4) ? context.px(1) : 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const float from = std::floor(at.x + width * static_cast<float>(i) / count);
    const float to = std::max(from + 1, std::floor(at.x + width * static_cast<float>(i + 1) / count) - gap);
    const bool lit = static_cast<int>(i) == view.under_mouse;
    if (lit) list->AddRectFilled({from, at.y}, {to, at.y + height}, ImGui::GetColorU32(context.theme.raised));
    const float top = at.y + height - std::max(bars[i].count > 0 ? 1.0F : 0.0F, std::round(bars[i].height * height));
    if (bars[i].count > 0)
      list->AddRectFilled({from, top}, {to, at.y + height}, ImGui::GetColorU32(lit ? context.theme.text : colour));
  }
  list->AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, ImGui::GetColorU32(context.theme.border), context.px(1));
  if (view.under_mouse >= 0) {
    const auto i = static_cast<std::size_t>(view.under_mouse);
    show_tooltip(bar_text(bars[i], i + 1 == bars.size(), finite_values(histogram), values) + (sample ? ", of a sample" : ""));
  }
  if (ends.shown) draw_handles(context, view, bars, {at, {at.x + width, at.y + height}}, ends);
  draw_axis(context, bars, {at.x, at.y + height + context.px(2)}, width, values);
  ImGui::Dummy({width, line + context.px(2)});
}

}  // namespace dlscope::app
