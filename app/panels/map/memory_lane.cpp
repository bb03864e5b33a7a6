#include "app/panels/map/memory_lane.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "app/models/tensors/memory_place.h"
#include "app/models/tensors/size_text.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/models/values/element_values.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/inventory/readable.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kLabelLength = 48, kShortName = 28;
constexpr std::size_t kMaxNamed = 16;  // other tensors over the byte, in a tooltip
constexpr float kPale = 0.30F;          // opacity of a bar with holes, behind its own bytes

ImU32 ink_of(const ImVec4& colour, float alpha) { return ImGui::GetColorU32({colour.x, colour.y, colour.z, alpha}); }

class LanePainter {
 public:
  LanePainter(const FrameContext& context, const MapLane& lane, const LaneView& view, const LaneBox& box,
              const LanePicture& picture)
      : context_(context), lane_(lane), box_(box), picture_(picture), axis_(lane, view, box), list_(ImGui::GetWindowDrawList()) {}

  bool draw() {
    const ImVec2 from{box_.left, box_.top}, to{box_.right(), box_.bars_bottom()};
    list_->AddRectFilled(from, to, context_.theme.empty_space, context_.px(3));
    list_->PushClipRect(from, {box_.right(), box_.top + box_.height}, true);
    for (const MapShape& shape : picture_.shapes) draw_shape(shape);
    for (const float x : picture_.cuts)
      list_->AddLine({x, box_.top}, {x, box_.bars_bottom()}, ink_of(context_.theme.background, 0.5F));
    draw_stale(from, to);
    for (const MapShape& shape : picture_.shapes) draw_outline(shape);
    const bool marked = draw_focused_bytes();
    draw_small_selection();
    for (const float x : picture_.ticks)
      list_->AddLine({x, box_.bars_bottom()}, {x, box_.top + box_.height}, ImGui::GetColorU32(context_.theme.border));
    draw_cells();
    for (const MapLabel& label : picture_.labels) draw_label(label);
    list_->PopClipRect();
    return marked;
  }

 private:
  [[nodiscard]] std::uint32_t colour_of(std::uint32_t tensor) const {
    return tensor == core::kNone32 ? core::kNone32 : context_.index->colour_of(context_.index->tensor(tensor));
  }

  void draw_shape(const MapShape& shape) {
    const ImVec2 from{shape.x0, shape.y0}, to{shape.x1, shape.y1};
    const std::uint32_t colour = colour_of(shape.tensor);
    switch (shape.kind) {
      case MapShape::Kind::sparse:
        fill_group(list_, from, to, context_.theme, colour, kPale);
        return;
      case MapShape::Kind::many:
      case MapShape::Kind::deep:
        if (shape.one_group && colour != core::kNone32)
          fill_group(list_, from, to, context_.theme, colour, shape.kind == MapShape::Kind::deep ? kPale : 1.0F);
        else  // several groups: no group colour would be right
          list_->AddRectFilled(from, to, ink_of(context_.theme.dim, 0.55F));
        return;
      case MapShape::Kind::unnamed: {
        const ImU32 ink =
            colour == core::kNone32 ? ImGui::GetColorU32(context_.theme.dim) : group_colour(context_.theme, colour);
        hatch(list_, from, to, ink, context_.px(8));
        list_->AddRect(from, to, ink, 0, context_.px(1));
        return;
      }
      case MapShape::Kind::branch:
        list_->AddRect(from, to, ImGui::GetColorU32(context_.theme.border), 0, context_.px(1));
        return;
      case MapShape::Kind::bar:
      case MapShape::Kind::run:
        fill_group(list_, from, to, context_.theme, colour);
        if (colour != core::kNone32 && !core::may_be_read(*context_.index->snapshot, context_.index->tensor(shape.tensor)))
          hatch(list_, from, to, ImGui::GetColorU32(context_.theme.background), context_.px(6));
        return;
    }
  }

  // The bytes may not be the tensors' own any more, except for held tensors: hatches everything, then draws these again.
  void draw_stale(ImVec2 from, ImVec2 to) {
    if (!may_be_out_of_date(context_.moment)) return;
    hatch(list_, from, to, ImGui::GetColorU32(context_.theme.empty_space), context_.px(7));
    if (context_.held.empty()) return;
    for (const MapShape& shape : picture_.shapes) {
      if (shape.tensor != core::kNone32 && shape.count == 1 && context_.bytes_are_its_own(shape.tensor)) draw_shape(shape);
    }
  }

  void draw_outline(const MapShape& shape) {
    if (shape.kind != MapShape::Kind::bar && shape.kind != MapShape::Kind::sparse) return;
    const bool selected = shape.tensor == context_.selected, compared = shape.tensor == context_.compared;
    const bool lit = shape.tensor == context_.hover.tensor;
    if (!selected && !lit && !compared) return;
    const ImU32 ink = selected ? context_.theme.selection : ImGui::GetColorU32(context_.theme.accent);
    list_->AddRect({shape.x0, shape.y0}, {shape.x1, shape.y1}, ink, 0, context_.px(selected ? 2.0F : 1.5F));
  }

  // Where the bar is patterned, pale or hatched, the name gets a plain background in the bar's colour to stay readable.
  void draw_label(const MapLabel& label) {
    ImU32 ink = ImGui::GetColorU32(context_.theme.dim);
    const std::uint32_t colour = colour_of(label.tensor);
    if (label.tensor != core::kNone32) {
      const core::TensorRecord& tensor = context_.index->tensor(label.tensor);
      const bool plain = colour < kGroupColours && core::may_be_read(*context_.index->snapshot, tensor) &&
                         core::is_dense(tensor.contiguity) && context_.bytes_are_its_own(label.tensor);
      const ImU32 plate =
          colour == core::kNone32 ? ImGui::GetColorU32(context_.theme.panel) : group_colour(context_.theme, colour);
      if (!plain)
        list_->AddRectFilled({label.x - context_.px(2), label.y}, {label.x + label.width + context_.px(2), label.y + label.size},
                             plate, context_.px(2));
      ink = text_on(plate);
    } else if (label.kind == MapLabel::Kind::deep) {
      ink = ImGui::GetColorU32(context_.theme.text);
    } else if (label.kind == MapLabel::Kind::unnamed) {
      ink = ImGui::GetColorU32(context_.theme.text);
      list_->AddRectFilled({label.x - context_.px(2), label.y}, {label.x + label.width + context_.px(2), label.y + label.size},
                           context_.theme.empty_space, context_.px(2));
    } else if (label.kind == MapLabel::Kind::branch) {
      ink = ImGui::GetColorU32(context_.theme.text);
      list_->AddRectFilled({label.x - context_.px(3), label.y}, {label.x + label.width + context_.px(3), label.y + label.size},
                           ImGui::GetColorU32(context_.theme.panel), context_.px(2));
    }
    const std::string_view text = picture_.text(label);
    list_->AddText(ImGui::GetFont(), label.size, {label.x, label.y}, ink, text.data(), text.data() + text.size());
  }

  // Elements of one tensor are read together: one call of the reader for each would take too long for a frame.
  void draw_cells() {
    if (context_.reader == nullptr) return;
    const core::Snapshot& snapshot = *context_.index->snapshot;
    const std::span<const MapCell> cells(picture_.cells);
    for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
      while (end < cells.size() && cells[end].tensor == cells[first].tensor) ++end;
      const core::TensorRecord& tensor = context_.index->tensor(cells[first].tensor);
      if (!why_no_values(snapshot, tensor).empty()) continue;
      core::ElementBytes read;
      read.restart(tensor.item_bits);
      for (std::size_t i = first; i < end; ++i)
        read.add(tensor.address, core::bit_offset_of(snapshot.layout(tensor), cells[i].element));
      read.read(*context_.reader);
      const core::SignBits signs = sign_bits_of(snapshot, tensor);
      for (std::size_t i = first; i < end; ++i)
        draw_cell(cells[i], read, i - first, cell_of(snapshot, tensor, read, i - first, signs).text);
    }
  }

  // The bytes of one element, each at its place, and its value.
  void draw_cell(const MapCell& cell, const core::ElementBytes& read, std::size_t number, std::string_view value) {
    const ImU32 plate = group_colour(context_.theme, colour_of(cell.tensor));
    const ImU32 ink = colour_of(cell.tensor) == core::kNone32 ? ImGui::GetColorU32(context_.theme.text) : text_on(plate);
    const core::Address hidden = cell.bytes.begin - read.addresses[number];  // cut off at the left edge
    const auto bytes = read.of(number).subspan(std::min<core::Address>(hidden, read.each));
    const std::size_t seen = read.complete[number] != 0 ? std::min<std::size_t>(cell.bytes.size(), bytes.size()) : 0;
    ImGui::PushFont(context_.fonts.mono, 0.0F);
    for (std::size_t i = 0; i < seen; ++i) {
      const float x = cell.x0 + cell.byte_width * static_cast<float>(i);
      if (i > 0) list_->AddLine({x, cell.y0}, {x, cell.y1}, (ink & 0x00FFFFFFU) | 0x40000000U);
      centred(LineText("{:02x}", std::to_integer<unsigned>(bytes[i])).view(), x, x + cell.byte_width, cell.y0, ink);
    }
    const float line = ImGui::GetTextLineHeight();
    if (!context_.bytes_are_its_own(cell.tensor))
      hatch(list_, {cell.x0, cell.y0}, {cell.x1, cell.y1}, (ink & 0x00FFFFFFU) | 0x60000000U, context_.px(6));
    if (cell.y1 - cell.y0 >= line * 2) centred(value, cell.x0, cell.x1, cell.y0 + line, ink);
    ImGui::PopFont();
  }

  // Draws nothing when the text does not fit completely.
  void centred(std::string_view text, float x0, float x1, float y, ImU32 ink) {
    const float width = text_width(text);
    if (width <= x1 - x0) list_->AddText({x0 + (x1 - x0 - width) * 0.5F, y}, ink, text.data(), text.data() + text.size());
  }

  // Marks exactly the focused bytes, over the whole height, across every tensor that contains them.
  bool draw_focused_bytes() {
    const Focus& focus = context_.hover;
    if (!focus.on_tensor() || focus.bytes.empty() || focus.space != lane_.space) return false;
    const auto block = lane_.block_at_address(focus.bytes.begin);
    if (!block) return false;
    const auto x0 = static_cast<float>(axis_.x_of(*block, focus.bytes.begin));
    const float x1 = std::max(x0 + context_.px(2), static_cast<float>(axis_.x_of(*block, focus.bytes.end)));
    list_->AddRectFilled({x0, box_.top}, {x1, box_.bars_bottom()},
                         ink_of(ImGui::ColorConvertU32ToFloat4(context_.theme.selection), 0.2F));
    list_->AddRect({x0, box_.top}, {x1, box_.bars_bottom()}, context_.theme.selection, 0, context_.px(1.5F));
    if (focus == context_.pinned) draw_pin(list_, {x0, box_.top + context_.px(10)}, context_.theme, context_.scale);
    return x1 > box_.left && x0 < box_.right();
  }

  // Marks a selected tensor that is too narrow for an outline, or part of a merged bar.
  void draw_small_selection() {
    if (context_.selected == core::kNone32) return;
    const auto& tensor = context_.index->tensor(context_.selected);
    const auto block = lane_.block_at_address(tensor.extent.begin);
    if (tensor.space != lane_.space || !has_place(tensor) || !block) return;
    const auto x0 = static_cast<float>(axis_.x_of(*block, tensor.extent.begin));
    const auto x1 = static_cast<float>(axis_.x_of(*block, tensor.extent.end));
    if (x1 - x0 >= context_.px(3)) return;
    const float middle = (x0 + x1) * 0.5F, half = context_.px(2);
    list_->AddRect({middle - half, box_.top}, {middle + half, box_.bars_bottom()}, context_.theme.selection);
  }

  const FrameContext& context_;
  const MapLane& lane_;
  const LaneBox& box_;
  const LanePicture& picture_;
  LaneAxis axis_;
  ImDrawList* list_;
};

void describe_tensor(const FrameContext& context, const LaneHit& hit) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(hit.tensor);
  tensor_swatch(context, hit.tensor);
  ImGui::SameLine();
  draw_text(LineText("{}   {}", shortened_name(snapshot.name(tensor), kLabelLength), snapshot.str(tensor.library)));
  draw_text(LineText("{}, {}, {}", snapshot.dtype_name(tensor), shape_in_words(snapshot.shape(tensor)),
                     size_text(tensor)),
            context.theme.dim);
  draw_text(LineText("{}, byte {} of {}", grouped_address(hit.address), grouped(hit.address - tensor.extent.begin),
                     grouped(tensor.extent.size())),
            context.theme.dim);
  if (tensor.group != core::kNone32 && snapshot.groups[tensor.group].members.count > 1) {
    const core::GroupRecord& group = snapshot.groups[tensor.group];
    draw_text(LineText("{} bytes into its group of {}", grouped(hit.address - snapshot.group_range(tensor).begin),
                       counted(group.members.count, "tensor", "tensors")),
              context.theme.dim);
  }
  if (snapshot.sharing_not_yet())
    draw_text("Which tensors share its bytes is still being worked out.", context.theme.unknown);
  if (hit.hole) draw_text("A hole between its elements: this byte is not one of its own.", context.theme.warn);
  if (!hit.hole && !hit.own_byte)
    draw_text("Whether one of its elements holds this byte takes too long to find out.", context.theme.unknown);
  if (!context.bytes_are_its_own(hit.tensor))
    draw_text(state_text(context.moment, context.state_of(hit.tensor)), context.theme.warn);
  if (!core::may_be_read(*context.index->snapshot, tensor))
    draw_text("These bytes cannot be read from here.", context.theme.unknown);
}

// Names the other tensors over the hit byte, as many as fit into a tooltip.
void name_others(const FrameContext& context, const LaneHit& hit, const char* before) {
  std::array<std::uint32_t, kMaxNamed> found{};
  const std::size_t count = tensors_at(*context.index, hit, found);
  std::string names;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) {
    if (found[i] == hit.tensor) continue;
    if (!names.empty()) names += ", ";
    names += shortened_name(context.index->snapshot->name(context.index->tensor(found[i])), kShortName);
  }
  if (names.empty()) return;
  if (count > found.size()) names += ", …";
  draw_text(before, context.theme.dim);
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 30);
  draw_text(names);
  ImGui::PopTextWrapPos();
}

void describe_unnamed(const FrameContext& context, const LaneHit& hit) {
  draw_text(LineText("Kept alive, but no listed tensor names it ({}).", counted(hit.gap.size(), "byte", "bytes")));
  draw_text(LineText("{} – {}", grouped_address(hit.gap.begin), grouped_address(hit.gap.end)), context.theme.dim);
  if (hit.owner == core::kNone32) {
    draw_text("Part of the allocations of several tensors.", context.theme.dim);
    return;
  }
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& owner = context.index->tensor(hit.owner);
  const auto whole = snapshot.allocation_of(owner);
  if (!whole) return;
  draw_text(LineText("Part of the allocation of {}: {}, known from its {}.", shortened_name(snapshot.name(owner), kShortName),
                     human_bytes(whole->range.size()), core::allocation_source_name(whole->source)),
            context.theme.dim);
}

// The map is usually at the window's lower edge: a tooltip below the mouse would cover the status bar, which says the same place.
void keep_tooltip_above_mouse(const FrameContext& context) {
  const ImVec2 mouse = ImGui::GetIO().MousePos, middle = ImGui::GetMainViewport()->GetCenter();
  if (mouse.y < middle.y) return;
  ImGui::SetNextWindowPos({mouse.x, mouse.y - context.px(8)}, ImGuiCond_Always, {mouse.x < middle.x ? 0.0F : 1.0F, 1});
}

}  // namespace

bool draw_lane(const FrameContext& context, const MapLane& lane, const LaneView& view, const LaneBox& box,
               const LanePicture& picture) {
  return LanePainter(context, lane, view, box, picture).draw();
}

void describe_hit(const FrameContext& context, const MapLane& lane, const LaneHit& hit) {
  const bool many = hit.tensor == core::kNone32 && hit.count > 0;
  if (hit.tensor == core::kNone32 && !many && hit.gap.empty()) return;
  keep_tooltip_above_mouse(context);
  if (!ImGui::BeginTooltip()) return;
  if (hit.tensor != core::kNone32) {
    describe_tensor(context, hit);
    name_others(context, hit, "Also here:");
  } else if (many) {
    draw_text(LineText("{} here, too {}.", counted(hit.count, "tensor lies", "tensors lie"),
                       hit.deep ? "deep to draw" : "close to tell apart"));
    if (hit.deep) name_others(context, hit, "Over this byte:");
    if (hit.block < lane.blocks.size())
      draw_text(LineText("From {}. Double click: zoom in.", grouped_address(lane.blocks[hit.block].range.begin)),
                context.theme.dim);
  } else if (hit.unnamed) {
    describe_unnamed(context, hit);
  } else {
    draw_text(LineText("{} that no listed tensor touches, folded.", human_bytes(hit.gap.size())));
    draw_text(LineText("{} – {}", grouped_address(hit.gap.begin), grouped_address(hit.gap.end)), context.theme.dim);
  }
  ImGui::EndTooltip();
}

}  // namespace dlscope::app
