#include "app/panels/compare/comparison_pictures.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/heatmap/heatmap_text.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/name_path.h"
#include "app/panels/compare/comparison_controls.h"
#include "app/panels/focus_keys.h"
#include "app/panels/values/axis_pickers.h"
#include "app/widgets/choose.h"
#include "app/widgets/marks.h"
#include "core/compare/difference_task.h"

namespace dlscope::app {
namespace {

constexpr float kGap = 10, kGrip = 9;  // at 100 %: between the panes; the divider's width for the mouse
constexpr const char* kTitles[] = {"A", "B", "difference"};

const char* arrangement_name(PictureArrangement arrangement) {
  static constexpr const char* kNames[] = {"side by side", "swipe"};
  return kNames[static_cast<std::size_t>(arrangement)];
}

core::CellAxes axes_of(const AxisMapping& mapping) {
  core::CellAxes axes;
  if (mapping.row >= 0) axes.down.push_back(static_cast<std::uint8_t>(mapping.row));
  if (mapping.column >= 0) axes.across.push_back(static_cast<std::uint8_t>(mapping.column));
  axes.at = mapping.fixed;
  return axes;
}

core::ComparedTensor compared(const ComparedSide& side) {
  const core::TensorValues values = side.values();
  return {values.dtype, values.layout, values.address, values.source};
}

class Pictures {
 public:
  Pictures(const FrameContext& context, ComparisonPicturesState& state)
      : context_(context), state_(state), shape_(context.compared_sides.a.layout().shape) {}

  void draw_controls(PictureControls controls) {
    fit_to_shape();
    if (controls == PictureControls::whole) {
      draw_choices();
      draw_flip();
      draw_linked_slice();
    } else {
      same_line_for(button_width("View …"));
      if (small_button("View …")) ImGui::OpenPopup("view");
      const float end = ImGui::GetItemRectMax().x;
      explain("What the pictures show: the difference, its colours, what moves together, the axes.");
      const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
      const bool flip_fits = end + ImGui::GetStyle().ItemSpacing.x + button_width("Hold: B") <= right;
      state_.flipped = false;
      if (flip_fits) draw_flip();  // a line of its own would be the pictures'
      ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetMainViewport()->WorkSize.x * 0.9F, 1e6F});
      if (ImGui::BeginPopup("view")) {
        draw_choices();
        if (!flip_fits) draw_flip();
        draw_linked_slice();
        ImGui::EndPopup();
      }
    }
  }

  void draw(Commands& commands) {
    fit_to_shape();
    read_keys();
    follow_pinned();
    draw_panes(commands);
    const ComparisonPane& keys = state_.panes[static_cast<std::size_t>(ComparePicture::difference)];
    move_pinned_focus(context_, context_.selected, keys.mapping, commands);
  }

 private:
  ComparisonPane& pane(ComparePicture which) { return state_.panes[static_cast<std::size_t>(which)]; }

  // Another shape is shown as a whole; the same shape keeps slice and camera.
  void fit_to_shape() {
    if (!std::ranges::equal(state_.shape, shape_)) {
      state_.shape.assign(shape_.begin(), shape_.end());
      for (ComparisonPane& one : state_.panes) {
        one.mapping = default_mapping(static_cast<int>(shape_.size()));
        one.camera = {};
        one.asked_exact = 0;
      }
      state_.followed.reset();
    }
    for (ComparisonPane& one : state_.panes) one.axes = axes_of(one.mapping);
  }

  void draw_choices() {
    choose("##arrangement", state_.arrangement, arrangement_name,
           "Three pictures, or A and B as one, with a divider to drag across it.");
    choose("##difference", state_.look.kind, difference_kind_name,
           "What the picture of the difference shows. NaN in both counts as equal. Relative: to |B|; infinite where B is 0 and A "
           "is not.");
    if (state_.look.kind != core::DifferenceKind::unequal)
      choose("##stretch", state_.look.stretch, colour_stretch_name,
             "How differences are spread over the colours: asinh and log keep small ones apart beside large ones.");
    draw_link_text();
  }

  void draw_flip() {
    const char* const flip = "Hold: B";
    same_line_for(button_width(flip));
    small_button(flip);
    state_.flipped = ImGui::IsItemActive();
    explain("As long as it is held, or the key B, B is shown in place of A: what differs stands out.");
  }

  void read_keys() {
    const bool flips = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) && !ImGui::GetIO().WantTextInput &&
                       !ImGui::GetIO().KeyCtrl && !ImGui::GetIO().KeyAlt && ImGui::IsKeyDown(ImGuiKey_B);
    state_.flipped = state_.flipped || flips;
    fit_ = context_.asked(ActionId::compare_fit);
    zoom_ = {.to_numbers = context_.asked(ActionId::compare_natural), .in = pressed_zoom_key(ActionContext::compare)};
  }

  void draw_linked_slice() {
    if (state_.link_slice) draw_slice(state_.panes[0], true);
  }

  void draw_link_text() {
    const auto link = [&](const char* label, bool& linked, const char* meaning) {
      same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize(label).x + ImGui::GetStyle().ItemInnerSpacing.x);
      const bool turned_on = ImGui::Checkbox(label, &linked) && linked;
      explain(meaning);
      return turned_on;
    };
    const ComparisonPane& a = pane(ComparePicture::a);
    if (link("camera", state_.link_camera, "Moving and zooming one picture moves and zooms the others.")) take_camera(a);
    if (shape_.size() > 2 && link("slice", state_.link_slice, "All pictures show the same slice.")) take_slice(a);
    link("range", state_.link_range, "The colours of A and B stand for the same numbers.");
  }

  void take_camera(const ComparisonPane& from) {
    for (ComparisonPane& one : state_.panes) {
      one.camera.rows = from.camera.rows;
      one.camera.columns = from.camera.columns;
    }
  }
  void take_slice(const ComparisonPane& from) {
    for (ComparisonPane& one : state_.panes) {
      one.mapping = from.mapping;
      one.axes = from.axes;
    }
  }

  void draw_slice(ComparisonPane& of, bool for_all) {
    if (shape_.size() < 2) return;
    const AxisMapping before = of.mapping;
    draw_axis_choices(shape_, of.mapping);
    draw_axis_sliders(context_, shape_, of.mapping, for_all ? kMaxSliderLines : 1);
    if (before == of.mapping) return;
    if (before.row != of.mapping.row || before.column != of.mapping.column) of.camera = {};
    of.axes = axes_of(of.mapping);
    if (!for_all) return;
    take_slice(of);
    if (state_.link_camera) take_camera(of);
  }

  // When another element is pinned, shows its slice and its cell.
  void follow_pinned() {
    const auto pinned = element_of_two(context_, context_.pinned);
    if (std::exchange(state_.followed, pinned) == pinned || !pinned || *pinned >= context_.compared_sides.a.record().elements)
      return;
    reveal_ = pinned;
    for (ComparisonPane& one : state_.panes) {
      static_cast<void>(show_element(context_.compared_sides.a.layout(), one.mapping, *pinned));
      one.axes = axes_of(one.mapping);
    }
  }

  void draw_panes(Commands& commands) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const int count = state_.arrangement == PictureArrangement::beside ? 3 : 2;
    const bool below = room.x * 1.2F < room.y;  // a narrow, high panel
    const float gap = context_.px(kGap),
                each = std::floor(((below ? room.y : room.x) - gap * static_cast<float>(count - 1)) / static_cast<float>(count));
    const ImVec2 size = below ? ImVec2{room.x, std::max(each, 1.0F)} : ImVec2{std::max(each, 1.0F), room.y};
    at_mouse_ = std::ranges::any_of(state_.panes, &ComparisonPane::hovered);
    for (ComparisonPane& one : state_.panes) one.hovered = false;
    for (int i = 0; i < count; ++i) {
      const auto which = count == 3 ? static_cast<ComparePicture>(i) : i == 0 ? ComparePicture::a : ComparePicture::difference;
      if (i > 0 && !below) ImGui::SameLine(0, gap);
      constexpr auto kFlags = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar;
      if (ImGui::BeginChild(kTitles[static_cast<std::size_t>(which)], size, ImGuiChildFlags_None, kFlags)) draw_pane(which, commands);
      ImGui::EndChild();
    }
  }

  void draw_title(ComparePicture which) {
    const ComparedSides& sides = context_.compared_sides;
    if (which == ComparePicture::difference) return draw_text(difference_kind_name(state_.look.kind), context_.theme.accent);
    const auto title = [&](const ComparedSide& side, const char* letter) {
      const std::string name = shortened_name(side.snapshot->name(side.record()), 40);
      const std::string text = fmt::format("{} {}{}{}", letter, name, side.when.empty() ? "" : ", ", side.when);
      const CutText shown = fit_text(text, ImGui::GetContentRegionAvail().x, text_width);
      draw_text(shown, context_.theme.accent);
      explain(shown.cut ? std::string_view(text) : std::string_view());
    };
    const bool swipe = state_.arrangement == PictureArrangement::swipe;
    if (swipe || !(which == ComparePicture::a && state_.flipped))
      title(which == ComparePicture::b ? sides.b : sides.a, which == ComparePicture::b ? "B" : "A");
    if (swipe) ImGui::SameLine(0, context_.px(16));
    if (swipe || (which == ComparePicture::a && state_.flipped)) title(sides.b, "B");
  }

  [[nodiscard]] ImVec2 picture_size() const {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    constexpr float kOneLine = 30, kTwoLines = 18;  // font sizes: below this width the scale needs another line
    const float lines = room.x < ImGui::GetFontSize() * kTwoLines ? 4 : room.x < ImGui::GetFontSize() * kOneLine ? 3 : 2;
    const float legend = ImGui::GetTextLineHeightWithSpacing() * lines + ImGui::GetStyle().ItemSpacing.y;
    return {room.x, std::max(room.y - legend, ImGui::GetTextLineHeight() * 2)};
  }

  void draw_pane(ComparePicture which, Commands& commands) {
    draw_title(which);
    if (!state_.link_slice) draw_slice(pane(which), false);
    const bool swipe = which == ComparePicture::a && state_.arrangement == PictureArrangement::swipe;
    const bool both = swipe || (which == ComparePicture::a && state_.flipped);
    const ImVec2 size = picture_size(), at = ImGui::GetCursorPos();
    PaneDrawing drawing(context_, which, pane(which), state_.look, commands);
    ImGui::PushFont(context_.fonts.mono, 0.0F);
    bool moved = drawing.lay_out(size);
    drawing.point();
    if (fit_) drawing.fit();
    if (!at_mouse_ || pane(which).hovered) {
      drawing.zoom(zoom_);
      moved = moved || (at_mouse_ && (zoom_.to_numbers || zoom_.in));
    }
    if (reveal_) drawing.reveal(*reveal_);
    drawing.ask();
    choose_range(which, commands);
    if (both) {
      // B takes A's place.
      pane(ComparePicture::b).mapping = pane(which).mapping;
      pane(ComparePicture::b).axes = pane(which).axes;
      pane(ComparePicture::b).camera = pane(which).camera;
      draw_both(drawing, at, size, swipe, commands);
    } else {
      drawing.draw_indices();
      drawing.draw();
    }
    ImGui::PopFont();
    if (moved && state_.link_camera) take_camera(pane(which));
    drawing.draw_legend();
  }

  void note_drawn(ComparePicture which, Commands& commands) { PaneDrawing(context_, which, pane(which), state_.look, commands).note_drawn(); }

  // A left of the divider and B right of it, or B alone, in one place.
  void draw_both(PaneDrawing& a, ImVec2 at, ImVec2 size, bool swipe, Commands& commands) {
    PaneDrawing b(context_, ComparePicture::b, pane(ComparePicture::b), state_.look, commands);
    const ImVec2 after = ImGui::GetCursorPos();
    ImGui::SetCursorPos(at);
    b.lay_out_over(size);
    b.ask();
    choose_range(ComparePicture::b, commands);
    a.draw_indices();
    const float divider = state_.flipped ? 0 : state_.divider;
    if (divider > 0) a.draw(0, divider);
    b.draw(divider, 1);
    if (swipe && !state_.flipped) draw_divider(a);
    ImGui::SetCursorPos(after);
  }

  void draw_divider(const PaneDrawing& a) {
    const ImVec2 cells = a.frame().cells(), to = a.frame().to();
    const float x = std::floor(a.x_of_part(state_.divider)), grip = context_.px(kGrip);
    ImGui::SetCursorScreenPos({x - grip / 2, cells.y});
    ImGui::InvisibleButton("divider", {grip, std::max(to.y - cells.y, 1.0F)});
    const bool held = ImGui::IsItemActive();
    if (held) state_.divider = std::clamp((ImGui::GetIO().MousePos.x - cells.x) / std::max(to.x - cells.x, 1.0F), 0.02F, 0.98F);
    if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    explain("Drag it: A lies left of it, B right.");
    ImDrawList* const list = ImGui::GetWindowDrawList();
    list->AddRectFilled({x - context_.px(1.5F), cells.y}, {x + context_.px(1.5F), to.y},
                        ImGui::GetColorU32(context_.theme.accent));
    const float middle = std::floor((cells.y + to.y) / 2);
    list->AddCircleFilled({x, middle}, context_.px(5), ImGui::GetColorU32(context_.theme.accent));
  }

  // The range of the colours: of A and B together when linked; of a difference symmetric about zero.
  void choose_range(ComparePicture which, Commands& commands) {
    ComparisonPane& of = pane(which);
    note_drawn(which, commands);
    of.range = of.drawn;
    if (which == ComparePicture::difference) {
      const double most = std::max(std::abs(of.range.low), std::abs(of.range.high));
      of.range.low = state_.look.kind == core::DifferenceKind::difference ? -most : 0;
      of.range.high = state_.look.kind == core::DifferenceKind::unequal ? 1 : most;
      return;
    }
    if (state_.link_range) {
      const ComparePicture other = which == ComparePicture::a ? ComparePicture::b : ComparePicture::a;
      note_drawn(other, commands);
      of.range.include(pane(other).drawn);
    }
    const auto is_bool = [](const ComparedSide& side) {
      return static_cast<core::DTypeCode>(side.values().dtype.code) == core::DTypeCode::bool_;
    };
    const ComparedSide &a = context_.compared_sides.a, &b = context_.compared_sides.b;
    if (!is_bool(which == ComparePicture::a ? a : b) || (state_.link_range && is_bool(a) != is_bool(b))) return;
    of.range.low = 0;
    of.range.high = 1;
  }

  const FrameContext& context_;
  ComparisonPicturesState& state_;
  std::span<const std::int64_t> shape_;
  bool fit_ = false, at_mouse_ = false;  // at_mouse_: it is on one of the panes
  PictureZoom zoom_;
  std::optional<std::uint64_t> reveal_;
};

}  // namespace

std::string why_no_pictures(const ComparedSides& sides) {
  for (const ComparedSide* const side : {&sides.a, &sides.b}) {
    if (std::string why = why_no_heatmap(*side->snapshot, side->record()); !why.empty()) return why;
  }
  const std::string why = core::why_no_difference(compared(sides.a), compared(sides.b));
  return why.empty() ? why : fmt::format("There are no pictures of them: {}.", why);
}

void draw_comparison_controls(const FrameContext& context, ComparisonPicturesState& state, PictureControls controls) {
  Pictures(context, state).draw_controls(controls);
}

void draw_comparison_pictures(const FrameContext& context, ComparisonPicturesState& state, Commands& commands) {
  Pictures(context, state).draw(commands);
}

}  // namespace dlscope::app
