#include "app/panels/map/memory_map_panel.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/models/tensors/memory_place.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/focus_keys.h"
#include "app/panels/map/memory_lane.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/marks.h"
#include "core/inventory/readable.h"

namespace dlscope::app {
namespace {

constexpr float kMinLaneHeight = 40;
constexpr float kMaxLaneHeight = 240;
constexpr float kRulerFrom = 64;  // pixels of height at 100 %: lower lanes have no ruler
constexpr double kWheelFactor = 1.25;
constexpr std::size_t kMaxBeside = 200;
constexpr std::size_t kBesideName = 28;

bool readable_here(const FrameContext& context, const MapLane& lane) {
  return lane.blocks.empty() || lane.space == core::kHostSpace ||
         core::may_be_read(*context.index->snapshot,
                           context.index->tensor(context.index->map.of(lane.blocks.front()).front().tensor));
}

std::string lane_title(const FrameContext& context, const MapLane& lane) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  std::string title =
      lane.space < snapshot.spaces.size() ? std::string(snapshot.str(snapshot.spaces[lane.space].name)) : "memory";
  title += "   " + counted(lane.tensors, "tensor", "tensors");
  if (lane.doubted == lane.tensors)
    title += " as claimed, contradicted";
  else if (lane.doubted > 0)
    title += " (" + grouped(lane.doubted) + " as claimed, contradicted)";
  if (snapshot.sharing_not_yet()) title += ", sharing still being worked out";
  if (lane.distinct_known) title += ", " + human_bytes(lane.distinct_bytes);
  if (const std::uint64_t unnamed = lane.unnamed_bytes(); unnamed > 0)
    title += " + " + human_bytes(unnamed) + " kept alive unnamed";
  if (!readable_here(context, lane)) title += "   not readable here";
  return title;
}

// --- the levels of zoom, as links ---------------------------------------------------------------------------------------

// The bytes that "element" means: the pinned or hovered element, else the first one.
core::ByteRange element_bytes(const FrameContext& context, const MapLane& lane) {
  const bool here = context.hover.space == lane.space;
  if (here && context.hover.element && !context.hover.bytes.empty()) return context.hover.bytes;
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  return {tensor.address, tensor.address + std::max<core::Address>(1, (core::Address{tensor.item_bits} + 7) / 8)};
}

constexpr const char* kLevels[] = {"all", "tensor", "element"};

float levels_width(const FrameContext& context) {
  float width = 0;
  for (const char* level : kLevels) width += text_width(level) + context.px(12);
  return width;
}

void draw_levels(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box) {
  const bool here = context.selected != core::kNone32 && context.index->tensor(context.selected).space == lane.space &&
                    has_place(context.index->tensor(context.selected));
  const float width = levels_width(context);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetContentRegionAvail().x < width) return ImGui::NewLine();
  ImGui::SetCursorPosX(right - width);
  for (int i = 0; i < 3; ++i) {
    if (i > 0) ImGui::SameLine(0, context.px(12));
    ImGui::BeginDisabled(i > 0 && !here);
    if (ImGui::TextLink(kLevels[i])) {
      if (i == 0) view = {};
      if (i == 1) show_bytes(lane, view, box, context.index->tensor(context.selected).extent);
      if (i == 2) show_bytes(lane, view, box, element_bytes(context, lane));
    }
    ImGui::EndDisabled();
    explain(i == 0   ? "Zoom out to the whole lane (F)."
            : i == 1 ? "Zoom to the selected tensor (double click on it)."
                     : "Zoom to the pinned element, or the first one of the selected tensor.");
  }
}

// A strip that shows which part of the lane is visible; click or drag moves there. Drawn only when a part is hidden.
void draw_overview(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box) {
  const float height = std::floor(context.px(6));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("overview", {box.width, height});
  if (view.units_per_px <= 0 || view.block >= lane.blocks.size()) return;
  const auto part = [&](double unit) { return static_cast<float>(unit / lane.units) * box.width; };
  const double begin = lane.blocks[view.block].unit_begin + view.offset,
               seen = view.units_per_px * static_cast<double>(box.width);
  if (ImGui::IsItemActive()) {
    const float x = std::clamp((ImGui::GetIO().MousePos.x - at.x) / box.width, 0.0F, 1.0F);
    pan_view(lane, view, box, static_cast<float>((begin + seen / 2 - static_cast<double>(x) * lane.units) / view.units_per_px));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + box.width, at.y + height}, context.theme.empty_space, height * 0.5F);
  const float x0 = at.x + part(begin), x1 = std::max(x0 + height, at.x + part(begin + seen));
  list->AddRectFilled({x0, at.y}, {x1, at.y + height},
                      ImGui::GetColorU32(ImGui::IsItemHovered() ? context.theme.text : context.theme.dim), height * 0.5F);
}

// --- mouse ------------------------------------------------------------------------------------------------------------

// Zooms to the tensor under the mouse or, when it fills the view already, to the element.
void zoom_to_thing(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box, const LaneHit& hit) {
  if (hit.tensor == core::kNone32) {
    if (hit.count > 0 && hit.block < lane.blocks.size()) show_bytes(lane, view, box, lane.blocks[hit.block].range);
    return;
  }
  LaneView wanted = view;
  show_bytes(lane, wanted, box, context.index->tensor(hit.tensor).extent);
  const Focus focus = focus_of(*context.index, hit);
  const bool large_already = view.units_per_px > 0 && view.units_per_px <= wanted.units_per_px * 1.05;
  if (large_already && !focus.bytes.empty())
    show_bytes(lane, view, box,
               {focus.bytes.begin - std::min<core::Address>(focus.bytes.begin, focus.bytes.size() * 2),
                focus.bytes.end + focus.bytes.size() * 2});
  else
    view = wanted;
}

void zoom_and_pan(const MapLane& lane, LaneView& view, const LaneBox& box) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // claimed, so that the panel does not scroll
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    if (io.KeyShift)
      pan_view(lane, view, box, io.MouseWheel * box.width * 0.1F);
    else
      zoom_view(lane, view, box, io.MousePos.x - box.left, std::pow(kWheelFactor, static_cast<double>(-io.MouseWheel)));
  }
  if (ImGui::IsItemHovered() && io.MouseWheelH != 0) pan_view(lane, view, box, io.MouseWheelH * box.width * 0.05F);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) pan_view(lane, view, box, io.MouseDelta.x);
}

// In pixels from the left end: the pinned bytes where they are in view, else the middle.
float place_for_keys(const FrameContext& context, const MapLane& lane, const LaneView& view, const LaneBox& box) {
  const core::ByteRange bytes = context.pinned.bytes;
  const auto block = context.pinned.space == lane.space && !bytes.empty() ? lane.block_at_address(bytes.begin) : std::nullopt;
  if (!block) return box.width / 2;
  const double x = LaneAxis(lane, view, box).x_of(*block, bytes.begin) - static_cast<double>(box.left);
  return x >= 0 && x < static_cast<double>(box.width) ? static_cast<float>(x) : box.width / 2;
}

// For the lane under the mouse; with the mouse outside of the panel for the one with the pinned bytes, or all where none are
// pinned.
void zoom_by_keys(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box) {
  const std::optional<bool> in = pressed_zoom_key(ActionContext::memory);
  const bool one = context.asked(ActionId::map_one_to_one), hovered = ImGui::IsItemHovered();
  if (!in && !one) return;
  const bool is_for_another = ImGui::IsWindowHovered() || (!context.pinned.bytes.empty() && context.pinned.space != lane.space);
  if (!hovered && is_for_another) return;
  const float x = hovered ? ImGui::GetIO().MousePos.x - box.left : place_for_keys(context, lane, view, box);
  if (one) one_to_one(lane, view, box, x);
  if (in) zoom_view(lane, view, box, x, *in ? 1 / kWheelFactor : kWheelFactor);
}

void act_on(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box, Commands& commands) {
  zoom_and_pan(lane, view, box);
  if (!ImGui::IsItemHovered() || (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4))) return;
  const ImGuiIO& io = ImGui::GetIO();
  const LaneHit hit = hit_lane(*context.index, lane, view, box, io.MousePos.x, io.MousePos.y);
  describe_hit(context, lane, hit);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return zoom_to_thing(context, lane, view, box, hit);
  if (hit.tensor == core::kNone32) return;
  const Focus focus = focus_of(*context.index, hit);
  commands.push(command::Hover{focus});
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left) || ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x != 0) return;
  if (io.KeyCtrl) return commands.push(command::CompareTensor{hit.tensor});
  commands.push(command::SelectTensor{hit.tensor});
  if (focus.element) commands.push(command::Pin{focus});
}

// --- lanes ------------------------------------------------------------------------------------------------------------

// Only when it is not visible: a click on a visible bar must not move the view.
void reveal_tensor(const FrameContext& context, const MapLane& lane, LaneView& view, const LaneBox& box, std::uint32_t tensor) {
  const auto& record = context.index->tensor(tensor);
  if (record.space != lane.space || !has_place(record) || view.units_per_px <= 0) return;
  if (!is_visible(lane, view, box, record.extent)) show_bytes(lane, view, box, record.extent);
}

// Names the present scale; a click switches to the other one.
void draw_scale_link(const FrameContext& context, LaneState& state, MapScale scale) {
  const bool is_true = scale == MapScale::true_size;
  if (ImGui::TextLink(is_true ? "true scale" : "compressed scale")) {
    state.scale = is_true ? MapScale::compressed : MapScale::true_size;
    state.view = {};
  }
  explain(is_true
              ? "Twice as wide is twice as many bytes; only empty space, and the part of an allocation that no tensor names, is "
                "folded. Click: compressed, so that what is small beside much larger tensors is seen too."
              : "Wider is more bytes, but not in proportion: a doubling adds the same width everywhere. Click: the true scale.");
  ImGui::SameLine(0, context.px(16));
}

void draw_one_lane(const FrameContext& context, MemoryMapState& state, std::size_t number, float height, bool same,
                   Commands& commands) {
  const MemoryMap& map = context.index->map;
  LaneState& shown = state.lanes[context.index->snapshot->device_of(map.lanes[number].space)];
  const MapScale scale = shown.scale.value_or(map.default_scale[number]);
  const MapLane& lane = map.lane(number, scale);
  LaneView& view = shown.view;
  if (std::exchange(shown.seen_scale, scale) != scale) view = {};
  if (!same) find_again(lane, view);
  if (state.fit) view = {};
  const float width = std::max(ImGui::GetContentRegionAvail().x, 32.0F);
  LaneBox box{.left = ImGui::GetCursorScreenPos().x,
              .width = width,
              .height = height,
              .line = ImGui::GetTextLineHeight(),
              .scale = context.scale};
  box.ruler = height >= context.px(kRulerFrom) ? box.line + context.px(2) : 0;
  ImGui::PushID(static_cast<int>(lane.space));
  draw_text(shown.title.get(context.generation, [&](std::string& title) { title = lane_title(context, lane); }),
            context.theme.dim);
  ImGui::SameLine(0, context.px(16));
  draw_scale_link(context, shown, scale);
  moment_shown(context, moment_text(context, ImGui::GetContentRegionAvail().x - levels_width(context)));
  ImGui::SameLine();
  draw_levels(context, lane, view, box);
  if (state.reveal != core::kNone32) reveal_tensor(context, lane, view, box, state.reveal);
  draw_overview(context, lane, view, box);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  box.top = at.y;
  ImGui::InvisibleButton("lane", {width, height});
  zoom_by_keys(context, lane, view, box);
  act_on(context, lane, view, box, commands);
  if (ImGui::IsItemVisible()) {
    const LanePicture& picture = shown.picture.get({context.generation, scale, view, box}, [&](LanePicture& out) {
      lay_out_lane(*context.index, lane, view, box, text_width, out);
    });
    if (draw_lane(context, lane, view, box, picture)) state.lit = context.hover.bytes;
    state.bars_drawn +=
        static_cast<int>(std::ranges::count_if(picture.shapes, [](const MapShape& s) { return s.kind != MapShape::Kind::run; }));
    state.shapes_drawn += static_cast<int>(picture.shapes.size() + picture.cuts.size());
    state.labels_drawn += static_cast<int>(picture.labels.size());
  }
  ImGui::PopID();
}

// The tensors that are in no lane: as many as fit, the rest as a number.
void draw_beside(const FrameContext& context, Commands& commands) {
  const auto& ids = context.index->map.without_memory;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  draw_text("No memory to draw:", context.theme.dim);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const core::TensorRecord& tensor = context.index->tensor(ids[i]);
    const std::string name = shortened_name(context.index->snapshot->name(tensor), kBesideName);
    const std::string why = fmt::format("({})", why_without_memory(tensor));
    const std::string more = "+" + grouped(ids.size() - i);
    const float room =
        right - ImGui::GetItemRectMax().x - context.px(12) - (i + 1 < ids.size() ? text_width(more) + context.px(16) : 0);
    ImGui::SameLine(0, context.px(12));
    if (i == kMaxBeside || text_width(name) + context.px(4) + text_width(why) > room) {
      draw_text(more, context.theme.dim);
      explain("The table has all of them.");
      return;
    }
    ImGui::PushID(static_cast<int>(ids[i]));
    if (ImGui::TextLink(name.empty() ? "unnamed" : (name + "###beside").c_str())) commands.push(command::SelectTensor{ids[i]});
    if (ImGui::IsItemHovered())
      commands.push(command::Hover{{.tensor = ids[i], .element = {}, .space = tensor.space, .bytes = {}}});
    ImGui::PopID();
    ImGui::SameLine(0, context.px(4));
    draw_text(why, context.theme.dim);
  }
}

void draw_lanes(const FrameContext& context, MemoryMapState& state, Commands& commands) {
  const auto& map = context.index->map;
  const bool same = std::exchange(state.generation, context.generation) == context.generation;
  const auto lanes = static_cast<float>(std::max<std::size_t>(map.lanes.size(), 1));
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  const float title = ImGui::GetTextLineHeight() + std::floor(context.px(6)) + spacing * 3;
  const float footer = map.without_memory.empty() ? 0 : ImGui::GetTextLineHeightWithSpacing();
  const float room = (ImGui::GetContentRegionAvail().y - footer) / lanes - title;
  const float height = std::floor(std::clamp(room, context.px(kMinLaneHeight), context.px(kMaxLaneHeight)));
  if (state.reveal != core::kNone32 && state.reveal >= context.index->size()) state.reveal = core::kNone32;
  for (std::size_t i = 0; i < map.lanes.size(); ++i) draw_one_lane(context, state, i, height, same, commands);
  if (footer > 0) draw_beside(context, commands);
  state.fit = false;
  state.reveal = core::kNone32;
}

}  // namespace

void draw_memory_map_panel(const FrameContext& context, MemoryMapState& state, Commands& commands) {
  state.bars_drawn = state.shapes_drawn = state.labels_drawn = 0;
  state.lit = {};
  if (ImGui::Begin(title_of(ActionContext::memory))) {
    if (context.asked(ActionId::map_fit)) state.fit = true;
    if (!context.has_tensors())
      draw_wrapped_text("Where the tensors' bytes lie will be drawn here.", context.theme.dim);
    else
      draw_lanes(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
