#include "app/panels/memory_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus_words.h"
#include "app/models/format.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMergeBelow = 3;  // pixels: narrower blocks and bars are drawn together
constexpr float kOutside = 64;    // pixels kept outside the rectangle
constexpr std::size_t kLabelLength = 48;

class LanePainter {
 public:
  LanePainter(const FrameContext& context, const MapLane& lane, const LaneGeometry& geometry)
      : context_(context), lane_(lane), geometry_(geometry), list_(ImGui::GetWindowDrawList()) {}

  int draw() {
    list_->PushClipRect(geometry_.from, geometry_.to, true);
    list_->AddRectFilled(geometry_.from, geometry_.to, context_.theme.empty_space, context_.px(3));
    draw_blocks();
    draw_hovered_bytes();
    draw_small_selection();
    list_->PopClipRect();
    return bars_;
  }

 private:
  void draw_blocks() {
    const double end = geometry_.unit_at(geometry_.to.x);
    std::size_t i = lane_.block_at_unit(geometry_.begin);
    if (i > 0) draw_gap(i);
    while (i < lane_.blocks.size() && lane_.blocks[i].unit_begin < end) {
      const MapBlock& block = lane_.blocks[i];
      const float x0 = geometry_.x_of(block.unit_begin), x1 = geometry_.x_of(block.unit_end);
      if (x1 - x0 < context_.px(kMergeBelow)) {
        i = draw_merged(i, x0);
      } else {
        draw_block(block, x0, x1);
        ++i;
      }
      if (i < lane_.blocks.size()) draw_gap(i);
    }
  }

  // Blocks too narrow to tell apart, from block i on: one bar. Returns the first block not in it.
  std::size_t draw_merged(std::size_t i, float x0) {
    const float x1 = x0 + context_.px(kMergeBelow);
    const std::size_t next = std::max(i + 1, lane_.block_at_unit(geometry_.unit_at(x1)));
    const ImVec2 from{x0, bar_top(0, 1)}, to{std::max(x0 + 1, x1 - 1), bar_bottom(0, 1)};
    // Several groups in one bar: none of their colours would be true.
    const ImVec4 dim = context_.theme.dim;
    if (next - i > 1)
      list_->AddRectFilled(from, to, ImGui::GetColorU32({dim.x, dim.y, dim.z, 0.55F}));
    else
      fill_group(list_, from, to, context_.theme, colour_of(context_.index->map.of(lane_.blocks[i]).front().tensor));
    ++bars_;
    return next;
  }

  void draw_block(const MapBlock& block, float x0, float x1) {
    for (std::uint32_t row = 0; row < block.rows; ++row) draw_row(block, row);
    if (block.hidden > 0) {
      const std::string more = "+" + grouped(block.hidden);
      const ImVec2 size = ImGui::CalcTextSize(more.c_str());
      const float right = std::min(x1, geometry_.to.x);
      if (size.x < right - x0)
        list_->AddText({right - size.x - 2, geometry_.to.y - size.y}, ImGui::GetColorU32(context_.theme.dim), more.c_str());
    }
  }

  // Bars of one row do not overlap and lie in address order: narrow neighbours are skipped by binary search.
  void draw_row(const MapBlock& block, std::uint32_t row) {
    const auto bars = context_.index->map.row_of(block, row);
    const core::Address seen_from = address_of(block, geometry_.begin);
    const core::Address seen_to = address_of(block, geometry_.unit_at(geometry_.to.x));
    auto bar = std::ranges::upper_bound(bars, seen_from, {}, [](const MapTensor& t) { return t.extent.end; });
    while (bar != bars.end() && bar->extent.begin <= seen_to) {
      const float x0 = geometry_.x_of(unit_of(block, bar->extent.begin));
      const float x1 = std::max(x0 + 1, geometry_.x_of(unit_of(block, bar->extent.end)));
      draw_bar(*bar, x0, x1, row, block.rows);
      if (x1 - x0 >= context_.px(kMergeBelow)) {
        ++bar;
        continue;
      }
      const core::Address after = address_of(block, geometry_.unit_at(x0 + context_.px(kMergeBelow)));
      bar = std::ranges::upper_bound(bar + 1, bars.end(), after, {}, [](const MapTensor& t) { return t.extent.end; });
    }
  }

  void draw_bar(const MapTensor& bar, float x0, float x1, std::uint32_t row, std::uint32_t rows) {
    const ImVec2 from{x0, bar_top(row, rows)}, to{x1 - (x1 - x0 > 4 ? 1.0F : 0.0F), bar_bottom(row, rows)};
    const bool selected = bar.tensor == context_.selected, lit = bar.tensor == context_.hover.tensor;
    const std::uint32_t colour = colour_of(bar.tensor);
    fill_group(list_, from, to, context_.theme, colour);
    ++bars_;
    if (colour != core::kNone32 && !context_.index->tensor(bar.tensor).readable)
      hatch(list_, from, to, ImGui::GetColorU32(context_.theme.background), context_.px(6));
    draw_label(bar.tensor, colour, from, to);
    const ImU32 outline = selected ? context_.theme.selection : ImGui::GetColorU32(context_.theme.accent);
    if (selected || lit) list_->AddRect(from, to, outline, 0, context_.px(selected ? 2.0F : 1.5F));
  }

  void draw_label(std::uint32_t tensor, std::uint32_t colour, ImVec2 from, ImVec2 to) {
    const float pad = context_.px(4);
    const float left = std::max(from.x, geometry_.from.x), right = std::min(to.x, geometry_.to.x);
    if (right - left < ImGui::GetFontSize() * 0.9F || to.y - from.y < ImGui::GetFontSize()) return;
    const std::string name = shortened(context_.index->snapshot->name(context_.index->tensor(tensor)), kLabelLength);
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    if (size.x + pad > right - left) {
      if (right - left < ImGui::GetFontSize() * 2.5F) return;
      list_->PushClipRect({left, from.y}, {right - pad, to.y}, true);
    }
    const float y = std::floor((from.y + to.y - size.y) * 0.5F);
    const ImU32 ink =
        colour == core::kNone32 ? ImGui::GetColorU32(context_.theme.text) : text_on(group_colour(context_.theme, colour));
    const float x = size.x + pad * 2 < right - left ? left + pad : left + pad * 0.5F;
    list_->AddText({x, y}, ink, name.c_str());
    if (size.x + pad > right - left) list_->PopClipRect();
  }

  // The folded space before block i, with its size when there is room.
  void draw_gap(std::size_t i) {
    if (i == 0) return;
    const MapBlock& before = lane_.blocks[i - 1];
    const MapBlock& after = lane_.blocks[i];
    const float x0 = std::max(geometry_.x_of(before.unit_end), geometry_.from.x);
    const float x1 = std::min(geometry_.x_of(after.unit_begin), geometry_.to.x);
    if (x1 - x0 < ImGui::GetFontSize()) return;
    const std::string size = human_bytes(after.range.begin - before.range.end);
    const std::string text = "⋯ " + size + " ⋯";
    ImVec2 box = ImGui::CalcTextSize(text.c_str());
    const bool fits = box.x <= x1 - x0;
    const char* shown = fits ? text.c_str() : "⋯";
    if (!fits) box = ImGui::CalcTextSize(shown);
    list_->AddText({(x0 + x1 - box.x) * 0.5F, (geometry_.from.y + geometry_.to.y - box.y) * 0.5F},
                   ImGui::GetColorU32(context_.theme.dim), shown);
  }

  void draw_hovered_bytes() {
    const Focus& focus = context_.hover;
    if (!focus.on_tensor() || focus.bytes.empty() || focus.space != lane_.space) return;
    const auto block = lane_.block_at_address(focus.bytes.begin);
    if (!block) return;
    const float x0 = geometry_.x_of(unit_of(lane_.blocks[*block], focus.bytes.begin));
    const float x1 = std::max(x0 + context_.px(2), geometry_.x_of(unit_of(lane_.blocks[*block], focus.bytes.end)));
    list_->AddRectFilled({x0, geometry_.from.y}, {x1, geometry_.to.y}, IM_COL32(255, 255, 255, 70));
    list_->AddRect({x0, geometry_.from.y}, {x1, geometry_.to.y}, context_.theme.selection);
    if (focus == context_.pinned) draw_pin(list_, {x0, geometry_.from.y + context_.px(10)}, context_.theme, context_.scale);
  }

  // A selected tensor too narrow for an outline of its own, or inside a merged bar, still has a place to be seen.
  void draw_small_selection() {
    if (context_.selected == core::kNone32) return;
    const auto& tensor = context_.index->tensor(context_.selected);
    const auto block = lane_.block_at_address(tensor.extent.begin);
    if (tensor.space != lane_.space || tensor.extent.empty() || !block) return;
    const float x0 = geometry_.x_of(unit_of(lane_.blocks[*block], tensor.extent.begin));
    const float x1 = geometry_.x_of(unit_of(lane_.blocks[*block], tensor.extent.end));
    if (x1 - x0 >= context_.px(kMergeBelow)) return;
    const float middle = (x0 + x1) * 0.5F, half = context_.px(2);
    list_->AddRect({middle - half, geometry_.from.y}, {middle + half, geometry_.to.y}, context_.theme.selection);
  }

  [[nodiscard]] std::uint32_t colour_of(std::uint32_t tensor) const {
    return context_.index->colour_of(context_.index->tensor(tensor));
  }
  [[nodiscard]] float row_height(std::uint32_t rows) const {
    return (geometry_.to.y - geometry_.from.y - context_.px(4)) / static_cast<float>(rows);
  }
  [[nodiscard]] float bar_top(std::uint32_t row, std::uint32_t rows) const {
    return std::floor(geometry_.from.y + context_.px(2) + row_height(rows) * static_cast<float>(row));
  }
  [[nodiscard]] float bar_bottom(std::uint32_t row, std::uint32_t rows) const {
    return std::max(bar_top(row, rows) + 1, std::floor(bar_top(row, rows) + row_height(rows)) - (rows > 1 ? 1.0F : 0.0F));
  }

  const FrameContext& context_;
  const MapLane& lane_;
  const LaneGeometry& geometry_;
  ImDrawList* list_;
  int bars_ = 0;
};

}  // namespace

float LaneGeometry::x_of(double unit) const {
  const double x = (unit - begin) / units_per_px;
  return from.x + static_cast<float>(std::clamp(x, static_cast<double>(-kOutside), static_cast<double>(width() + kOutside)));
}

int draw_lane(const FrameContext& context, const MapLane& lane, const LaneGeometry& geometry) {
  return LanePainter(context, lane, geometry).draw();
}

LaneHit hit_test(const SnapshotIndex& index, const MapLane& lane, const LaneGeometry& geometry, ImVec2 point) {
  LaneHit hit;
  const double unit = geometry.unit_at(point.x);
  hit.block = lane.block_at_unit(unit);
  if (hit.block >= lane.blocks.size()) return hit;
  const MapBlock& block = lane.blocks[hit.block];
  if (unit < block.unit_begin) {
    if (hit.block > 0) hit.gap = {lane.blocks[hit.block - 1].range.end, block.range.begin};
    return hit;
  }
  hit.address = address_of(block, unit);
  const float part = std::clamp((point.y - geometry.from.y) / (geometry.to.y - geometry.from.y), 0.0F, 0.999F);
  const auto row = static_cast<std::uint32_t>(part * static_cast<float>(block.rows));
  const auto bars = index.map.row_of(block, row);
  const auto bar = std::ranges::upper_bound(bars, hit.address, {}, [](const MapTensor& t) { return t.extent.end; });
  if (bar != bars.end() && bar->extent.contains(hit.address)) hit.tensor = bar->tensor;
  return hit;
}

Focus hover_of(const SnapshotIndex& index, const LaneHit& hit) { return focus_at(index, hit.tensor, hit.address); }

void describe_hit(const FrameContext& context, const LaneHit& hit) {
  if (!ImGui::BeginTooltip()) return;
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(hit.tensor);
  group_swatch(context.theme, context.index->colour_of(tensor));
  ImGui::SameLine();
  words(fmt::format("{}   {}", shortened(snapshot.name(tensor), kLabelLength), snapshot.str(tensor.library)));
  words(fmt::format("{}, {}", core::dtype_name(tensor.dtype), shape_text(snapshot.shape(tensor))), context.theme.dim);
  words(fmt::format("{}, byte {} of {}", grouped_address(hit.address), grouped(hit.address - tensor.extent.begin),
                    grouped(tensor.extent.size())),
        context.theme.dim);
  ImGui::EndTooltip();
}

void describe_gap(const LaneHit& hit) {
  if (hit.gap.empty() || !ImGui::BeginTooltip()) return;
  words(human_bytes(hit.gap.size()) + " that no listed tensor touches, folded.");
  words(grouped_address(hit.gap.begin) + " – " + grouped_address(hit.gap.end));
  ImGui::EndTooltip();
}

}  // namespace dlscope::app
