#include "app/panels/heatmap/heatmap_picture.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_words.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_words.h"
#include "app/models/text/format.h"
#include "app/models/values/element_values.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/panels/heatmap/heatmap_legend.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

constexpr double kWheelFactor = 1.25, kLargest = 2.5;  // of a cell: times the size at which it can be read
constexpr std::int64_t kMostNumbers = 4000;
constexpr std::size_t kNumberLength = 9;  // characters

class PictureOfTensor {
 public:
  PictureOfTensor(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, Commands& commands)
      : context_(context),
        state_(state),
        tensor_(tensor),
        layout_(context.index->snapshot->layout(tensor)),
        commands_(commands),
        list_(ImGui::GetWindowDrawList()) {}

  void draw(ImVec2 size) {
    ImGui::PushFont(context_.fonts.mono, 0.0F);
    lay_out(size);
    ImGui::InvisibleButton("picture", {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
    hovered_ = ImGui::IsItemHovered();
    move();
    follow_pinned();
    ask();
    list_->PushClipRect(from_, to_, true);
    draw_headers();
    list_->PushClipRect(cells_, to_, true);
    draw_texels();
    draw_tiles();
    draw_numbers();
    draw_focus();
    list_->PopClipRect();
    list_->PopClipRect();
    ImGui::PopFont();
    hover();
  }

 private:
  void lay_out(ImVec2 size) {
    from_ = ImGui::GetCursorScreenPos();
    from_ = {std::floor(from_.x), std::floor(from_.y)};
    to_ = {std::floor(from_.x + size.x), std::floor(from_.y + size.y)};
    const core::CellCounts cells = core::count_cells(layout_, state_.axes).value_or(core::CellCounts{});
    const float character = ImGui::CalcTextSize("0").x;
    const auto digits = static_cast<float>(fmt::to_string(std::max<std::int64_t>(cells.rows - 1, 0)).size());
    cells_ = {std::floor(from_.x + (state_.axes.down.empty() ? 0 : character * (digits + 1))),
              std::floor(from_.y + (state_.axes.across.empty() ? 0 : ImGui::GetTextLineHeight() + context_.px(2)))};
    natural_ = {character * static_cast<float>(kNumberLength + 1), ImGui::GetTextLineHeight() * static_cast<float>(channels()) + context_.px(6)};
    const double high = std::max(1.0, static_cast<double>(to_.y - cells_.y)),
                 wide = std::max(1.0, static_cast<double>(to_.x - cells_.x));
    double row = static_cast<double>(natural_.y) * 2, column = static_cast<double>(natural_.x) * 1.5;
    if (state_.square) {
      const double each = std::min({high / static_cast<double>(std::max<std::int64_t>(cells.rows, 1)),
                                    wide / static_cast<double>(std::max<std::int64_t>(cells.columns, 1)), column});
      row = column = each;
    }
    HeatmapCamera& camera = state_.camera;
    camera.row_limits = {cells.rows, high, static_cast<double>(natural_.x) * kLargest, row};
    camera.column_limits = {cells.columns, wide, static_cast<double>(natural_.x) * kLargest, column};
    camera.rows.settle(camera.row_limits);
    camera.columns.settle(camera.column_limits);
    state_.cells_from = cells_;
    state_.cells_to = to_;
  }

  void move() {
    HeatmapCamera& camera = state_.camera;
    const ImGuiIO& io = ImGui::GetIO();
    const double x = std::max(0.0, static_cast<double>(io.MousePos.x - cells_.x)),
                 y = std::max(0.0, static_cast<double>(io.MousePos.y - cells_.y));
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
      camera.columns.pan(camera.column_limits, static_cast<double>(io.MouseDelta.x));
      camera.rows.pan(camera.row_limits, static_cast<double>(io.MouseDelta.y));
    }
    if (context_.asked(ActionId::heatmap_fit)) {
      camera.columns.fit(camera.column_limits);
      camera.rows.fit(camera.row_limits);
    }
    const bool clicked_twice = hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    if (context_.asked(ActionId::heatmap_natural) || clicked_twice) {
      const auto pinned = clicked_twice || hovered_ ? std::nullopt : pinned_place();
      camera.columns.zoom(camera.column_limits, pinned ? pinned->column : x, static_cast<double>(natural_.x) / camera.columns.px_per_unit());
      camera.rows.zoom(camera.row_limits, pinned ? pinned->row : y,
                       static_cast<double>(state_.square ? natural_.x : natural_.y) / camera.rows.px_per_unit());
    }
    if (!hovered_) return;
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // before it turns: the first notch would scroll the panel
    if (io.MouseWheel == 0) return;
    const double factor = std::pow(kWheelFactor, static_cast<double>(std::clamp(io.MouseWheel, -8.0F, 8.0F)));
    camera.columns.zoom(camera.column_limits, x, factor);
    camera.rows.zoom(camera.row_limits, y, factor);
  }

  // The middle of the pinned cell, in pixels of the picture; nullopt: it is not in view.
  struct PixelPlace {
    double row = 0, column = 0;
  };
  [[nodiscard]] std::optional<PixelPlace> pinned_place() const {
    const Focus& pinned = context_.pinned;
    if (pinned.tensor != state_.tensor || !pinned.element || *pinned.element >= tensor_.elements) return std::nullopt;
    const auto cell = cell_of(layout_, state_.axes, *pinned.element);
    if (!cell) return std::nullopt;
    const HeatmapCamera& camera = state_.camera;
    const PixelPlace at{(camera.rows.x_of(cell->row) + camera.rows.x_of(cell->row + 1)) / 2,
                        (camera.columns.x_of(cell->column) + camera.columns.x_of(cell->column + 1)) / 2};
    const bool seen = at.row >= 0 && at.column >= 0 && at.row < camera.row_limits.room && at.column < camera.column_limits.room;
    return seen ? std::optional(at) : std::nullopt;
  }

  void follow_pinned() {
    const auto cell = state_.reveal ? cell_of(layout_, state_.axes, *state_.reveal) : std::nullopt;
    if (!cell) return;
    state_.camera.rows.reveal(state_.camera.row_limits, cell->row, 1);
    state_.camera.columns.reveal(state_.camera.column_limits, cell->column, 1);
  }

  // The tiles that are missing of what is seen, unless they are on their way.
  void ask() {
    const HeatmapWish wish = heatmap_wish(context_, state_, tensor_);
    state_.view = view_of(state_.camera, wish.form());
    state_.known = about_this() ? known_of(context_.heatmap, state_.view) : HeatmapKnown{.tiles = state_.view.tiles.count()};
    if (!context_.bytes_are_its_own(state_.tensor)) return;
    if (auto request = next_request(context_.heatmap, state_.camera, wish)) commands_.push(command::DrawHeatmap{std::move(*request)});
  }

  [[nodiscard]] bool about_this() const { return context_.heatmap.about(state_.tensor, state_.axes); }

  [[nodiscard]] HeatmapPanelState::Painted what_to_paint(int width, int height) const {
    const HeatmapCamera& camera = state_.camera;
    const HeatmapColours& c = state_.shown_colours();
    const int look = static_cast<int>(c.number) + 4 * static_cast<int>(c.map) + 16 * static_cast<int>(c.stretch) +
                     64 * static_cast<int>(c.range) + 1024 * static_cast<int>(context_.theme.choice) +
                     8192 * static_cast<int>(state_.order) + 16384 * static_cast<int>(state_.alpha) +
                     32768 * static_cast<int>(state_.axes.channel.has_value());
    const std::uint64_t statistics = is_of_all_values(c.range) ? context_.statistics.summaries_revision() : 0;
    return {.revision = context_.heatmap.revision(),
            .statistics = statistics,
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
    choose_heatmap_range(context_, state_, tensor_);
    std::uint32_t* const pixels = state_.texture.begin(now.width, now.height);
    const HeatmapPainter::Look look = heatmap_look(context_, state_, tensor_);
    static const HeatmapStore kNothing;  // what is known of another tensor is not this one's
    state_.painter.paint(about_this() ? context_.heatmap : kNothing, state_.view, state_.camera, look,
                         {pixels, now.width, now.height, state_.texture.pitch()});
    state_.texture.changed();
    state_.painted = now;
    ++state_.paints;
  }

  // Numbers of a cell, one below the other.
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(core::count_channels(layout_, state_.axes)); }

  // Where several axes run one way, between the inner pictures.
  void draw_tiles() {
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
        list_->AddLine(a, b, ImGui::GetColorU32(context_.theme.panel), context_.px(2));
      }
    };
    lines(state_.axes.down, state_.camera.rows, state_.camera.row_limits.length, true);
    lines(state_.axes.across, state_.camera.columns, state_.camera.column_limits.length, false);
  }

  // The index of a cell along one direction: "7", "2,7" of two axes.
  [[nodiscard]] std::string label(const std::vector<std::uint8_t>& axes, std::int64_t cell) const {
    std::string out;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const std::int64_t size = layout_.shape[axes[i]];
      out = fmt::to_string(cell % size) + (out.empty() ? "" : ",") + out;
      cell /= size;
    }
    return out;
  }

  // Labels are at round numbers and stay at them while the picture moves.
  [[nodiscard]] static std::int64_t label_step(double px_per_cell, double least_px) {
    std::int64_t step = 1;
    for (int i = 0; static_cast<double>(step) * px_per_cell < least_px && step < (std::int64_t{1} << 58); ++i)
      step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
  }

  void draw_headers() {
    const core::CellWindow seen = seen_cells(state_.camera);
    const float line = ImGui::GetTextLineHeight();
    if (!state_.axes.across.empty()) {
      const AxisView& view = state_.camera.columns;
      const float width =
          ImGui::CalcTextSize(label(state_.axes.across, std::max<std::int64_t>(seen.column + seen.columns - 1, 0)).c_str()).x;
      const std::int64_t step = label_step(view.px_per_unit(), static_cast<double>(width + context_.px(12)));
      for (std::int64_t c = (seen.column + step - 1) / step * step; c < seen.column + seen.columns; c += step) {
        const float x = cells_.x + static_cast<float>(view.x_of(c));
        const std::string text = label(state_.axes.across, c);
        if (x >= cells_.x - 1 && x + ImGui::CalcTextSize(text.c_str()).x <= to_.x)
          list_->AddText({std::floor(x), from_.y}, ImGui::GetColorU32(context_.theme.column_axis), text.c_str());
      }
    }
    if (state_.axes.down.empty()) return;
    const AxisView& view = state_.camera.rows;
    const std::int64_t step = label_step(view.px_per_unit(), static_cast<double>(line * 1.4F));
    for (std::int64_t r = (seen.row + step - 1) / step * step; r < seen.row + seen.rows; r += step) {
      const float y = cells_.y + static_cast<float>(view.x_of(r));
      const float at =
          view.px_per_unit() > static_cast<double>(line) ? y + (static_cast<float>(view.px_per_unit()) - line) / 2 : y;
      if (y >= cells_.y - 1 && at + line <= to_.y)
        list_->AddText({from_.x, std::floor(at)}, ImGui::GetColorU32(context_.theme.row_axis),
                       label(state_.axes.down, r).c_str());
    }
  }

  void draw_numbers() {
    state_.wanted.clear();
    state_.numbers.clear();
    state_.numbers_written = 0;
    const core::CellWindow seen = seen_cells(state_.camera);
    const ImVec2 cell{static_cast<float>(state_.camera.columns.px_per_unit()),
                      static_cast<float>(state_.camera.rows.px_per_unit())};
    if (!has_room_for_numbers(cell) || seen.rows * seen.columns > kMostNumbers || context_.reader == nullptr) return;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      for (std::size_t channel = 0; channel < channels(); ++channel) {
        if (const auto element = element_of(layout_, state_.axes, {r, c}, static_cast<std::int64_t>(channel))) state_.wanted.push_back(*element);
      }
    });
    if (state_.wanted.empty()) return draw_reduced_numbers(seen);
    read_elements(*context_.index->snapshot, tensor_, *context_.reader, state_.wanted, state_.numbers);
    std::size_t i = 0;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      for (std::size_t channel = 0; channel < channels(); ++channel, ++i) draw_number(r, c, channel, state_.numbers[i].text);
    });
  }

  [[nodiscard]] bool has_room_for_numbers(ImVec2 cell) const {
    const float characters = state_.axes.channel ? 6 : 4;
    return cell.y >= ImGui::GetTextLineHeight() * static_cast<float>(channels()) && cell.x >= ImGui::CalcTextSize("0").x * characters;
  }

  template <class Each>
  static void for_each_cell(const core::CellWindow& seen, Each each) {
    for (std::int64_t r = seen.row; r < seen.row + seen.rows; ++r) {
      for (std::int64_t c = seen.column; c < seen.column + seen.columns; ++c) each(r, c);
    }
  }

  // A cell of several values has the numbers of its texel.
  void draw_reduced_numbers(const core::CellWindow& seen) {
    if (!about_this() || state_.view.level != TexelLevel{}) return;
    for_each_cell(seen, [&](std::int64_t r, std::int64_t c) {
      const HeatmapTile* const tile = context_.heatmap.tile(TexelLevel{}, r / kTileSide, c / kTileSide);
      if (tile == nullptr) return;
      const std::size_t at = tile->index_of(r % kTileSide, c % kTileSide);
      if ((tile->flags(at) & core::kTexelFinite) == 0) return;
      for (std::size_t channel = 0; channel < channels(); ++channel)
        draw_number(r, c, channel, short_number(tile->channels() > 0 ? tile->channel(channel, at) : tile->at(at).mean));
    });
  }

  // The channels of a pixel stand one below the other, each with its name.
  void draw_number(std::int64_t row, std::int64_t column, std::size_t channel, std::string text) {
    if (state_.axes.channel) text = std::string(channel_name(channels(), channel, state_.order)).substr(0, 1) + " " + text;
    const ImVec2 from = corner(row, column), to = corner(row + 1, column + 1);
    const ImU32 fill = pixel_at({(from.x + to.x) / 2, (from.y + to.y) / 2});
    const float width = ImGui::CalcTextSize(text.c_str()).x, line = ImGui::GetTextLineHeight();
    const float top = (from.y + to.y - line * static_cast<float>(channels())) / 2 + line * static_cast<float>(channel);
    const ImVec2 at{std::floor(std::max(from.x + 1, (from.x + to.x - width) / 2)), std::floor(top)};
    const ImVec4 clip{from.x, from.y, to.x - 1, to.y};
    list_->AddText(nullptr, 0.0F, at, text_on(fill), text.c_str(), nullptr, 0.0F, &clip);
    ++state_.numbers_written;
  }

  [[nodiscard]] ImU32 pixel_at(ImVec2 at) const {
    const int x = std::clamp(static_cast<int>(at.x - cells_.x), 0, state_.painted.width - 1);
    const int y = std::clamp(static_cast<int>(at.y - cells_.y), 0, state_.painted.height - 1);
    return state_.texture.pixel(x, y);
  }

  void draw_focus() {
    const auto ring = [&](const Focus& focus, FocusMark mark) {
      if (focus.tensor != state_.tensor || !focus.element || *focus.element >= tensor_.elements) return;
      const auto cell = cell_of(layout_, state_.axes, *focus.element);
      if (!cell) return;
      ImVec2 from = corner(cell->row, cell->column), to = corner(cell->row + 1, cell->column + 1);
      const float least = context_.px(7);
      const auto widen = [least](float& a, float& b) {
        if (b - a >= least) return;
        const float middle = std::floor((a + b) / 2);
        a = middle - std::floor(least / 2);
        b = a + least;
      };
      widen(from.x, to.x);
      widen(from.y, to.y);
      outline_focus(list_, from, to, context_.theme, mark, context_.scale);
    };
    ring(context_.pinned, FocusMark::pinned);
    if (context_.hover != context_.pinned) ring(context_.hover, FocusMark::hovered);
  }

  void hover() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!hovered_ || mouse.x < cells_.x || mouse.y < cells_.y) return;
    const HeatmapCamera& camera = state_.camera;
    const std::int64_t row = camera.rows.unit_at(static_cast<double>(mouse.y - cells_.y));
    const std::int64_t column = camera.columns.unit_at(static_cast<double>(mouse.x - cells_.x));
    if (row < 0 || column < 0 || row >= camera.row_limits.length || column >= camera.column_limits.length) return;
    const auto element = element_of(layout_, state_.axes, {row, column}, channel_at(row, mouse.y));
    const Focus focus = element ? focus_on(*context_.index, state_.tensor, *element)
                                : Focus{.tensor = state_.tensor, .element = {}, .space = {}, .bytes = {}};
    commands_.push(command::Hover{focus});
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4);
    if (element && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0)
      commands_.push(command::Pin{focus});
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
    state_.place_said = place_words(row, column, element);
    explain(state_.place_said);
  }

  // Where the numbers of a pixel can be read, the one the mouse is on.
  [[nodiscard]] std::int64_t channel_at(std::int64_t row, float y) const {
    const auto count = static_cast<std::int64_t>(channels());
    if (state_.numbers_written == 0 || count == 1) return std::min(state_.channel_at, count - 1);
    const float line = ImGui::GetTextLineHeight(), middle = (corner(row, 0).y + corner(row + 1, 0).y) / 2;
    const float from = middle - line * static_cast<float>(count) / 2;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((y - from) / line)), 0, count - 1);
  }

  // "[3, 7, :]" and all its channels.
  [[nodiscard]] std::string pixel_words(std::int64_t row, std::int64_t column, std::uint64_t element) const {
    std::vector<std::int64_t> index(layout_.shape.size());
    core::unravel(layout_, element, index);
    std::string text = "[";
    for (std::size_t d = 0; d < index.size(); ++d)
      text += (d > 0 ? ", " : "") + (state_.axes.channel == d ? std::string(":") : fmt::to_string(index[d]));
    text += "]";
    for (std::size_t c = 0; context_.reader != nullptr && c < channels(); ++c) {
      const auto one = element_of(layout_, state_.axes, {row, column}, static_cast<std::int64_t>(c));
      const auto cell = one ? read_element(*context_.index->snapshot, tensor_, *one, *context_.reader) : std::nullopt;
      if (cell) text += fmt::format("   {} {}", channel_name(channels(), c, state_.order), cell->text);
    }
    return text;
  }

  [[nodiscard]] std::string place_words(std::int64_t row, std::int64_t column, std::optional<std::uint64_t> element) const {
    std::string text;
    if (element && state_.axes.channel) {
      text = pixel_words(row, column, *element);
    } else if (element) {
      text = index_text(layout_, *element);
      if (context_.reader != nullptr) {
        const auto cell = read_element(*context_.index->snapshot, tensor_, *element, *context_.reader);
        if (cell) text += " = " + cell->text;
      }
    }
    const bool several = about_this() && (state_.view.level != TexelLevel{} || !element);
    if (!several) return text;
    const std::string texel = texel_words(context_.heatmap, state_.view, state_.camera.cells(), row, column, state_.order);
    text += (text.empty() ? "" : "\nThe pixel: ") + texel;
    return text;
  }

  [[nodiscard]] ImVec2 corner(std::int64_t row, std::int64_t column) const {
    return {cells_.x + static_cast<float>(state_.camera.columns.x_of(column)),
            cells_.y + static_cast<float>(state_.camera.rows.x_of(row))};
  }

  const FrameContext& context_;
  HeatmapPanelState& state_;
  const core::TensorRecord& tensor_;
  core::LayoutView layout_;
  Commands& commands_;
  ImDrawList* list_;
  ImVec2 from_, to_, cells_, natural_;
  bool hovered_ = false;
};

}  // namespace

void draw_heatmap_picture(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, ImVec2 size,
                          Commands& commands) {
  PictureOfTensor(context, state, tensor, commands).draw(size);
}

}  // namespace dlscope::app
