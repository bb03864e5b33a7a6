#include "app/panels/heatmap/heatmap_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_background.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/text/format.h"
#include "app/models/values/element_values.h"
#include "app/panels/focus_keys.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/panels/heatmap/heatmap_legend.h"
#include "app/panels/heatmap/picture_frame.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

class PictureOfTensor {
 public:
  PictureOfTensor(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, Commands& commands)
      : context_(context),
        state_(state),
        tensor_(tensor),
        layout_(context.values.layout()),
        commands_(commands),
        list_(ImGui::GetWindowDrawList()),
        frame_(context, layout_, state.axes, state.camera) {}

  void draw(ImVec2 size) {
    ImGui::PushFont(context_.fonts.mono, 0.0F);
    frame_.lay_out(size, state_.square);
    cells_ = state_.cells_from = frame_.cells();
    to_ = state_.cells_to = frame_.to();
    ImGui::InvisibleButton("picture", {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
    hovered_ = ImGui::IsItemHovered() && !state_.figure.wanted;
    move();
    follow_pinned();
    ask();
    list_->PushClipRect(frame_.from(), to_, true);
    frame_.draw_headers(list_);
    list_->PushClipRect(cells_, to_, true);
    draw_texels();
    frame_.draw_tiles(list_);
    draw_numbers();
    draw_focus();
    list_->PopClipRect();
    list_->PopClipRect();
    ImGui::PopFont();
    hover();
  }

 private:
  void move() {
    frame_.drag();
    if (context_.asked(ActionId::heatmap_fit)) frame_.fit();
    const bool clicked_twice = hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    const bool natural = context_.asked(ActionId::heatmap_natural) || clicked_twice;
    const std::optional<bool> in = pressed_zoom_key(ActionContext::heatmap);
    if (natural || in) {
      const PixelPlace at = hovered_ ? frame_.at_mouse() : pinned_place().value_or(frame_.middle());
      if (natural) frame_.zoom_to_numbers(at, state_.square);
      if (in) frame_.zoom_by_key(at, *in);
    }
    if (hovered_) frame_.zoom_by_wheel();
  }

  // The centre of the pinned cell; nullopt: not visible.
  [[nodiscard]] std::optional<PixelPlace> pinned_place() const {
    const auto pinned = context_.values.value_at(context_.pinned);
    return pinned ? frame_.place_of(*pinned) : std::nullopt;
  }

  void follow_pinned() {
    const auto cell = state_.reveal ? cell_of(layout_, state_.axes, *state_.reveal) : std::nullopt;
    if (cell) frame_.reveal(*cell);
  }

  // Requests missing tiles of the view, unless they are being computed.
  void ask() {
    const HeatmapSubject subject = heatmap_subject(context_, state_, tensor_);
    state_.view = view_of(state_.camera, subject.form());
    state_.known = about_this() ? known_of(context_.heatmap, state_.view) : HeatmapKnown{.tiles = state_.view.tiles.count()};
    if (!context_.bytes_are_its_own(state_.tensor)) return;
    auto request = next_request(context_.heatmap, state_.camera, subject);
    // Not of a file, whose bytes may have to be fetched.
    if (!request && context_.file.empty())
      request = next_in_background(context_.heatmap, state_.camera, subject, most_in_background(tensor_));
    if (request) commands_.push(command::DrawHeatmap{std::move(*request)});
  }

  [[nodiscard]] bool about_this() const { return context_.heatmap.about(state_.tensor, state_.axes, {}, state_.field); }

  [[nodiscard]] HeatmapPanelState::Painted what_to_paint(int width, int height) const {
    const HeatmapCamera& camera = state_.camera;
    const HeatmapColours& c = state_.shown_colours();
    const int look = static_cast<int>(c.number) + 4 * static_cast<int>(shown_map(state_, state_.dtype)) +
                     16 * static_cast<int>(c.stretch) + 64 * static_cast<int>(c.range) +
                     1024 * static_cast<int>(context_.theme.choice) +
                     8192 * static_cast<int>(state_.order) + 16384 * static_cast<int>(state_.alpha) +
                     32768 * static_cast<int>(state_.axes.channel.has_value());
    const std::uint64_t statistics = is_of_all_values(c.range) ? context_.statistics.summaries_revision() : 0;
    return {.generation = context_.generation,
            .revision = context_.heatmap.revision(),
            .statistics = statistics,
            .tensor = state_.tensor,
            .field = state_.field,
            .known = about_this(),
            .row = camera.rows.first(),
            .column = camera.columns.first(),
            .row_at = camera.rows.x_of(camera.rows.first()),
            .column_at = camera.columns.x_of(camera.columns.first()),
            .row_px = camera.rows.px_per_unit(),
            .column_px = camera.columns.px_per_unit(),
            .width = width,
            .height = height,
            .low = c.low,
            .high = c.high,
            .cut = c.range == RangeChoice::value_percentile ? c.value_cut : c.cut,
            .look = look};
  }

  void draw_texels() {
    const int width = std::max(1, static_cast<int>(to_.x - cells_.x)), height = std::max(1, static_cast<int>(to_.y - cells_.y));
    say_heatmap_range(context_, state_, commands_);
    const HeatmapPanelState::Painted now = what_to_paint(width, height);
    if (now != state_.painted) paint(now);
    state_.texture.draw(list_, cells_);
    if (!context_.bytes_are_its_own(state_.tensor))
      hatch(list_, cells_, to_, ImGui::GetColorU32({0.5F, 0.5F, 0.5F, 0.6F}), context_.px(8));
  }

  void paint(const HeatmapPanelState::Painted& now) {
    choose_heatmap_range(context_, state_);
    std::uint32_t* const pixels = state_.texture.begin(now.width, now.height);
    const HeatmapPainter::Look look = heatmap_look(context_, state_, tensor_);
    static const HeatmapStore kNothing;  // the store has tiles of another tensor: nothing is known of this one
    state_.painter.paint(about_this() ? context_.heatmap : kNothing, state_.view, state_.camera, look,
                         {pixels, now.width, now.height, state_.texture.pitch()});
    state_.texture.changed();
    state_.painted = now;
    ++state_.paints;
  }

  void draw_numbers() {
    state_.wanted.clear();
    state_.numbers.clear();
    state_.numbers_written = 0;
    const core::CellWindow seen = seen_cells(state_.camera);
    if (!frame_.has_room_for_numbers() || seen.rows * seen.columns > kMaxNumbers || context_.reader == nullptr) return;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      for (std::size_t channel = 0; channel < channels(); ++channel) {
        if (const auto element = element_of(layout_, state_.axes, {r, c}, static_cast<std::int64_t>(channel)))
          state_.wanted.push_back(*element);
      }
    });
    if (state_.wanted.empty()) return draw_reduced_numbers(seen);
    read_elements(*context_.values.snapshot(), tensor_, *context_.reader, state_.wanted, state_.numbers);
    std::size_t i = 0;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      for (std::size_t channel = 0; channel < channels(); ++channel, ++i) draw_number(r, c, channel, state_.numbers[i].text);
    });
  }

  // A cell that stands for several values shows the numbers of its texel.
  void draw_reduced_numbers(const core::CellWindow& seen) {
    if (!about_this() || state_.view.level != TexelLevel{}) return;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      const HeatmapTile* const tile = context_.heatmap.tile(TexelLevel{}, r / kTileSide, c / kTileSide);
      if (tile == nullptr) return;
      const std::size_t at = tile->index_of(r % kTileSide, c % kTileSide);
      if ((tile->flags(at) & core::kTexelFinite) == 0) return;
      const Digits digits = digits_of(state_.dtype);
      const double exact = tile->width() == NumberWidth::floats ? kExactInFloats : kExactInDoubles;
      for (std::size_t channel = 0; channel < channels(); ++channel)
        draw_number(r, c, channel,
                    every_digit(tile->channels() > 0 ? tile->channel(channel, at) : tile->at(at).mean, digits, exact));
    });
  }

  // The channels of a pixel are written below each other, each with its name.
  void draw_number(std::int64_t row, std::int64_t column, std::size_t channel, std::string text) {
    if (state_.axes.channel) text = std::string(channel_name(channels(), channel, state_.order)).substr(0, 1) + " " + text;
    const ImVec2 from = corner(row, column), to = corner(row + 1, column + 1);
    const ImU32 fill = pixel_at({(from.x + to.x) / 2, (from.y + to.y) / 2});
    const float line = ImGui::GetTextLineHeight();
    const float top = (from.y + to.y - line * static_cast<float>(channels())) / 2 + line * static_cast<float>(channel);
    frame_.draw_number(list_, {row, column}, top, text_on(fill), text);
    ++state_.numbers_written;
  }

  [[nodiscard]] ImU32 pixel_at(ImVec2 at) const {
    const int x = std::clamp(static_cast<int>(at.x - cells_.x), 0, state_.painted.width - 1);
    const int y = std::clamp(static_cast<int>(at.y - cells_.y), 0, state_.painted.height - 1);
    return state_.texture.pixel(x, y);
  }

  void draw_focus() {
    const auto ring = [&](const Focus& focus, FocusMark mark) {
      if (const auto value = context_.values.value_at(focus)) frame_.draw_ring(list_, *value, mark);
    };
    ring(context_.pinned, FocusMark::pinned);
    if (context_.hover != context_.pinned && !state_.figure.wanted) ring(context_.hover, FocusMark::hovered);
  }

  void hover() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto cell = hovered_ ? frame_.cell_at(mouse) : std::nullopt;
    if (!cell) return;
    const std::int64_t row = cell->row, column = cell->column;
    const auto element = element_of(layout_, state_.axes, {row, column}, channel_at(row, mouse.y));
    const Focus focus = element ? context_.values.focus_on(*element)
                                : Focus{.tensor = state_.tensor, .element = {}, .space = {}, .bytes = {}};
    commands_.push(command::Hover{focus});
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4);
    if (element && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0)
      commands_.push(command::Pin{focus});
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
    state_.place_said = place_text(row, column, element);
    explain(state_.place_said);
  }

  // Where the numbers of a pixel are written, the channel under the mouse.
  [[nodiscard]] std::int64_t channel_at(std::int64_t row, float y) const {
    const auto count = static_cast<std::int64_t>(channels());
    if (state_.numbers_written == 0 || count == 1) return std::min(state_.channel_at, count - 1);
    const float line = ImGui::GetTextLineHeight(), middle = (corner(row, 0).y + corner(row + 1, 0).y) / 2;
    const float from = middle - line * static_cast<float>(count) / 2;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((y - from) / line)), 0, count - 1);
  }

  // "[3, 7, :]" with the values of all channels.
  [[nodiscard]] std::string pixel_text(std::int64_t row, std::int64_t column, std::uint64_t element) const {
    std::vector<std::int64_t> index(layout_.shape.size());
    core::unravel(layout_, element, index);
    std::string text = "[";
    for (std::size_t d = 0; d < index.size(); ++d)
      text += (d > 0 ? ", " : "") + (state_.axes.channel == d ? std::string(":") : fmt::to_string(index[d]));
    text += "]";
    for (std::size_t c = 0; context_.reader != nullptr && c < channels(); ++c) {
      const auto one = element_of(layout_, state_.axes, {row, column}, static_cast<std::int64_t>(c));
      const auto cell = one ? read_element(*context_.values.snapshot(), tensor_, *one, *context_.reader) : std::nullopt;
      if (cell) text += fmt::format("   {} {}", channel_name(channels(), c, state_.order), cell->text);
    }
    return text;
  }

  [[nodiscard]] std::string place_text(std::int64_t row, std::int64_t column, std::optional<std::uint64_t> element) const {
    std::string text;
    if (element && state_.axes.channel) {
      text = pixel_text(row, column, *element);
    } else if (element) {
      text = index_text(layout_, *element);
      if (context_.reader != nullptr) {
        const auto cell = read_element(*context_.values.snapshot(), tensor_, *element, *context_.reader);
        if (cell) text += " = " + cell->text;
      }
    }
    const bool several = about_this() && (state_.view.level != TexelLevel{} || !element);
    if (!several) return text;
    const std::string texel = texel_text(context_.heatmap, state_.view, state_.camera.cells(), row, column, state_.order);
    text += (text.empty() ? "" : "\nThe pixel: ") + texel;
    return text;
  }

  [[nodiscard]] std::size_t channels() const { return frame_.channels(); }
  [[nodiscard]] ImVec2 corner(std::int64_t row, std::int64_t column) const { return frame_.corner(row, column); }

  const FrameContext& context_;
  HeatmapPanelState& state_;
  const core::TensorRecord& tensor_;
  core::LayoutView layout_;
  Commands& commands_;
  ImDrawList* list_;
  PictureFrame frame_;
  ImVec2 to_, cells_;
  bool hovered_ = false;
};

}  // namespace

void draw_heatmap_picture(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, ImVec2 size,
                          Commands& commands) {
  PictureOfTensor(context, state, tensor, commands).draw(size);
}

}  // namespace dlscope::app
