#include "app/panels/memory_map_panel.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/format.h"
#include "app/panels/memory_lane.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kLeastLaneHeight = 40;
constexpr float kMostLaneHeight = 220;
constexpr double kLeastUnitsPerPixel = 1e-9;

std::string lane_title(const FrameContext& context, const MapLane& lane) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  std::string title =
      lane.space < snapshot.spaces.size() ? std::string(snapshot.str(snapshot.spaces[lane.space].name)) : "memory";
  title += "   " + counted(lane.tensors, "tensor", "tensors");
  if (lane.distinct_known) title += ", " + human_bytes(lane.distinct_bytes);
  return title;
}

double all_units_per_px(const MapLane& lane, float width) { return std::max(lane.units, 1.0) / static_cast<double>(width); }

void clamp_view(const MapLane& lane, LaneView& view, float width) {
  const double all = all_units_per_px(lane, width);
  if (view.units_per_px <= 0) return;
  view.units_per_px = std::max(view.units_per_px, kLeastUnitsPerPixel);
  if (view.units_per_px >= all) {
    view = {};
    return;
  }
  view.begin = std::clamp(view.begin, 0.0, lane.units - view.units_per_px * static_cast<double>(width));
}

void zoom_at(const MapLane& lane, LaneView& view, float width, float x, double factor) {
  const double now = view.units_per_px > 0 ? view.units_per_px : all_units_per_px(lane, width);
  const double under = view.begin + now * static_cast<double>(x);
  view.units_per_px = now * factor;
  view.begin = under - view.units_per_px * static_cast<double>(x);
  clamp_view(lane, view, width);
}

void show_range(const MapLane& lane, LaneView& view, float width, double from, double to) {
  const double margin = (to - from) * 0.15;
  view.units_per_px = (to - from + margin * 2) / static_cast<double>(width);
  view.begin = from - margin;
  clamp_view(lane, view, width);
}

// Only when it is out of sight: a click on a visible bar must not move it.
void reveal_tensor(const FrameContext& context, const MapLane& lane, LaneView& view, float width, std::uint32_t tensor) {
  const auto& record = context.index->tensor(tensor);
  const auto block = lane.block_at_address(record.extent.begin);
  if (!block || view.units_per_px <= 0) return;
  const double unit = unit_of(lane.blocks[*block], record.extent.begin);
  const double end = view.begin + view.units_per_px * static_cast<double>(width);
  if (unit >= view.begin && unit <= end) return;
  view.begin = unit - (end - view.begin) * 0.5;
  clamp_view(lane, view, width);
}

void act_on(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneGeometry& geometry, Commands& commands) {
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x - geometry.from.x;
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    zoom_at(lane, view, geometry.width(), x, io.MouseWheel > 0 ? 1 / 1.25 : 1.25);
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) && view.units_per_px > 0) {
    view.begin -= static_cast<double>(io.MouseDelta.x) * view.units_per_px;
    clamp_view(lane, view, geometry.width());
    return;
  }
  if (!ImGui::IsItemHovered()) return;
  const LaneHit hit = hit_test(*context.index, lane, geometry, io.MousePos);
  if (hit.tensor == core::kNone32) {
    describe_gap(hit);
    return;
  }
  commands.push(command::Hover{hover_of(*context.index, hit)});
  describe_hit(context, hit);
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0) {
    commands.push(command::SelectTensor{hit.tensor});
  }
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && hit.block < lane.blocks.size()) {
    show_range(lane, view, geometry.width(), lane.blocks[hit.block].unit_begin, lane.blocks[hit.block].unit_end);
  }
}

void draw_one_lane(const FrameContext& context, MemoryMapState& state, const MapLane& lane, float height, Commands& commands) {
  LaneView& view = state.lanes[lane.space];
  words(lane_title(context, lane), context.theme.dim);
  const float width = std::max(ImGui::GetContentRegionAvail().x, 32.0F);
  if (state.fit) view = {};
  clamp_view(lane, view, width);
  if (state.reveal != core::kNone32 && context.index->tensor(state.reveal).space == lane.space) {
    reveal_tensor(context, lane, view, width, state.reveal);
  }
  ImGui::PushID(static_cast<int>(lane.space));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("lane", {width, height});
  LaneGeometry geometry{
      at, {at.x + width, at.y + height}, view.begin, view.units_per_px > 0 ? view.units_per_px : all_units_per_px(lane, width)};
  act_on(context, lane, view, geometry, commands);
  geometry.begin = view.begin;
  geometry.units_per_px = view.units_per_px > 0 ? view.units_per_px : all_units_per_px(lane, width);
  state.bars_drawn += draw_lane(context, lane, geometry);
  ImGui::PopID();
}

void draw_lanes(const FrameContext& context, MemoryMapState& state, Commands& commands) {
  const auto& map = context.index->map;
  const auto lanes = static_cast<float>(map.lanes.size());
  const float title = ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  const float footer = map.without_memory > 0 ? ImGui::GetTextLineHeightWithSpacing() : 0;
  const float room = (ImGui::GetContentRegionAvail().y - footer) / lanes - title;
  const float height = std::clamp(room, context.px(kLeastLaneHeight), context.px(kMostLaneHeight));
  if (state.reveal != core::kNone32 && state.reveal >= context.index->size()) state.reveal = core::kNone32;
  for (const MapLane& lane : map.lanes) draw_one_lane(context, state, lane, height, commands);
  if (footer > 0)
    words(counted(map.without_memory, "tensor has", "tensors have") +
              " no memory to show: empty, not described, or behind a handle.",
          context.theme.dim);
  state.fit = false;
  state.reveal = core::kNone32;
}

}  // namespace

void draw_memory_map_panel(const FrameContext& context, MemoryMapState& state, Commands& commands) {
  state.bars_drawn = 0;
  if (ImGui::Begin(kMemoryWindow)) {
    if (context.asked(ActionId::map_fit)) state.fit = true;
    if (!context.has_tensors()) {
      wrapped_words("Where the tensors' bytes lie will be drawn here.", context.theme.dim);
    } else if (context.index->map.lanes.empty()) {
      wrapped_words("None of the listed tensors has memory to show: they are empty, not described, or behind a handle.",
                    context.theme.dim);
    } else {
      draw_lanes(context, state, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
