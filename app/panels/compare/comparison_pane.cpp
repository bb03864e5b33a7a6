#include "app/panels/compare/comparison_pane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/text/format.h"
#include "app/models/values/element_values.h"
#include "app/panels/compare/compare_grid.h"
#include "app/panels/compare/comparison_scale.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

bool is_bool(const ComparedSide& side) {
  return static_cast<core::DTypeCode>(side.values().dtype.code) == core::DTypeCode::bool_;
}
bool is_complex(const ComparedSide& side) {
  return static_cast<core::DTypeCode>(side.values().dtype.code) == core::DTypeCode::complex;
}

// A diverging map for signed differences.
const ColourTable& table_of(core::DifferenceKind kind) {
  return colour_table(kind == core::DifferenceKind::difference ? ColourMap::diverging : ColourMap::viridis);
}

}  // namespace

const char* difference_kind_name(core::DifferenceKind kind) {
  static constexpr const char* kNames[] = {"A - B", "|A - B|", "|A - B| / |B|", "A ≠ B"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::uint64_t> element_of_two(const FrameContext& context, const Focus& focus) {
  const bool on_b = context.compared_sides.both_shown() && focus.tensor == context.compared;
  return focus.on_tensor() && (focus.tensor == context.selected || on_b) ? focus.element : std::nullopt;
}

Focus focus_of_two(const FrameContext& context, ComparePicture which, std::uint64_t element) {
  const bool on_b = which == ComparePicture::b && context.compared_sides.both_shown();
  return focus_on(*context.index, on_b ? context.compared : context.selected, element);
}

PaneDrawing::PaneDrawing(const FrameContext& context, ComparePicture which, ComparisonPane& pane, const DifferenceLook& look,
                         Commands& commands)
    : context_(context),
      which_(which),
      pane_(pane),
      look_(look),
      commands_(commands),
      frame_(context, side().layout(), pane.axes, pane.camera) {}

HeatmapSubject PaneDrawing::heatmap_subject() const {
  const ComparedSides& sides = context_.compared_sides;
  HeatmapSubject subject{side().tensor, &pane_.axes, side().values(), std::max(kExactAtOnce, pane_.asked_exact), {}, {}};
  if (!is_difference()) return subject;
  subject.most_exact = std::max(kExactAtOnce / 2, pane_.asked_exact);  // pairs
  subject.difference = look_.kind;
  subject.subtracted = sides.b.values();
  return subject;
}

bool PaneDrawing::about_this() const {
  const auto kind = is_difference() ? std::optional(look_.kind) : std::nullopt;
  return store().snapshot().get() == side().snapshot && store().about(side().tensor, pane_.axes, kind);
}

bool PaneDrawing::lay_out(ImVec2 size) {
  frame_.lay_out(size, false);
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton("picture", {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
  hovered_ = ImGui::IsItemHovered();
  pane_.cells_from = frame_.cells();
  pane_.cells_to = frame_.to();
  const AxisView rows = pane_.camera.rows, columns = pane_.camera.columns;
  frame_.drag();
  if (hovered_) frame_.zoom_by_wheel();
  if (hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) frame_.zoom_to_numbers(frame_.at_mouse(), false);
  pane_.hovered = hovered_;
  const auto moved = [](const AxisView& x, const AxisView& y) {
    return x.first() != y.first() || x.px_per_unit() != y.px_per_unit() || x.x_of(0) != y.x_of(0);
  };
  return moved(rows, pane_.camera.rows) || moved(columns, pane_.camera.columns);
}

void PaneDrawing::zoom(const PictureZoom& by) {
  if (!by.to_numbers && !by.in) return;
  const auto pinned = element_of_two(context_, context_.pinned);
  const auto at_pinned = pinned && *pinned < side().record().elements ? frame_.place_of(*pinned) : std::nullopt;
  const PixelPlace at = hovered_ ? frame_.at_mouse() : at_pinned.value_or(frame_.middle());
  if (by.to_numbers) frame_.zoom_to_numbers(at, false);
  if (by.in) frame_.zoom_by_key(at, *by.in);
}

void PaneDrawing::reveal(std::uint64_t element) {
  if (const auto cell = cell_of(side().layout(), pane_.axes, element)) frame_.reveal(*cell);
}

void PaneDrawing::ask() {
  const HeatmapSubject subject = heatmap_subject();
  pane_.view = view_of(pane_.camera, subject.form());
  pane_.known = about_this() ? known_of(store(), pane_.view) : HeatmapKnown{.tiles = pane_.view.tiles.count()};
  if (!own()) return;
  if (auto request = next_request(store(), pane_.camera, subject))
    commands_.push(command::DrawComparison{which_, std::move(*request)});
}

void PaneDrawing::note_drawn() {
  const TexelNumber number = is_difference() ? TexelNumber::farthest : TexelNumber::mean;
  pane_.drawn = about_this() ? store().range_of_level(pane_.view.level, number) : NumberRange{};
  if (about_this() && !pane_.drawn.any && !store().levels().empty())
    pane_.drawn.include(store().range_of_level(store().levels().front(), number));
}

const ColourTable& PaneDrawing::table() const {
  if (is_difference()) return table_of(look_.kind);
  return is_bool(side()) ? bool_table() : colour_table(ColourMap::viridis);
}

HeatmapPainter::Look PaneDrawing::look() const {
  const auto ink = [&](core::ValueClass value_class) { return ImGui::GetColorU32(value_colour(context_.theme, value_class)); };
  HeatmapPainter::Look look{.number = TexelNumber::mean, .inks = {}, .ground = ImGui::GetColorU32(context_.theme.panel)};
  look.inks.table = &table();
  look.inks.scale = ColourScale(pane_.range.low, pane_.range.high, is_difference() ? look_.stretch : ColourStretch::linear);
  look.inks.nan = ink(core::ValueClass::nan);
  look.inks.pos_inf = ink(core::ValueClass::positive_infinity);
  look.inks.neg_inf = ink(core::ValueClass::negative_infinity);
  look.inks.none = ImGui::GetColorU32(context_.theme.unknown);
  look.least_special = static_cast<int>(context_.px(4));
  if (!is_difference()) return look;
  look.number = TexelNumber::farthest;
  look.inks.equal = look_.kind == core::DifferenceKind::difference ? table()[127] : table()[0];
  return look;
}

void PaneDrawing::paint() {
  const HeatmapCamera& camera = pane_.camera;
  const int width = std::max(1, static_cast<int>(frame_.to().x - frame_.cells().x)),
            height = std::max(1, static_cast<int>(frame_.to().y - frame_.cells().y));
  const ComparisonPane::Painted now{.revision = store().revision(),
                                    .row = camera.rows.first(),
                                    .column = camera.columns.first(),
                                    .row_at = camera.rows.x_of(camera.rows.first()),
                                    .column_at = camera.columns.x_of(camera.columns.first()),
                                    .row_px = camera.rows.px_per_unit(),
                                    .column_px = camera.columns.px_per_unit(),
                                    .low = pane_.range.low,
                                    .high = pane_.range.high,
                                    .width = width,
                                    .height = height,
                                    .look = static_cast<int>(look_.kind) + 8 * static_cast<int>(look_.stretch) +
                                            64 * static_cast<int>(context_.theme.choice) + 512 * static_cast<int>(about_this())};
  if (now == pane_.painted) return;
  std::uint32_t* const pixels = pane_.texture.begin(width, height);
  static const HeatmapStore kNothing;  // the store has tiles of other tensors: nothing is known of these
  pane_.painter.paint(about_this() ? store() : kNothing, pane_.view, camera, look(),
                      {pixels, width, height, pane_.texture.pitch()});
  pane_.texture.changed();
  pane_.painted = now;
}

void PaneDrawing::draw(float from, float to) {
  paint();
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->PushClipRect({x_of_part(from), frame_.cells().y}, {x_of_part(to), frame_.to().y}, true);
  pane_.texture.draw(list, frame_.cells());
  if (!own()) hatch(list, frame_.cells(), frame_.to(), ImGui::GetColorU32({0.5F, 0.5F, 0.5F, 0.6F}), context_.px(8));
  frame_.draw_tiles(list);
  draw_numbers();
  draw_focus();
  list->PopClipRect();
}

void PaneDrawing::draw_numbers() {
  const core::CellWindow seen = seen_cells(pane_.camera);
  if (!frame_.has_room_for_numbers() || seen.rows * seen.columns > kMaxNumbers || !own()) return;
  if (is_difference()) {
    if (!about_this() || pane_.view.level != TexelLevel{}) return;
    return for_each_cell(seen, [&](std::int64_t row, std::int64_t column) {
      const HeatmapTile* const tile = store().tile(TexelLevel{}, row / kTileSide, column / kTileSide);
      if (tile == nullptr) return;
      const std::size_t at = tile->index_of(row % kTileSide, column % kTileSide);
      if ((tile->flags(at) & core::kTexelFinite) != 0)
        draw_number({row, column}, every_digit(tile->value(TexelNumber::farthest, at), digits()));
    });
  }
  if (side().reader == nullptr) return;
  pane_.wanted.clear();
  pane_.numbers.clear();
  for_each_cell(seen, [&](std::int64_t row, std::int64_t column) {
    if (const auto element = element_of(side().layout(), pane_.axes, {row, column})) pane_.wanted.push_back(*element);
  });
  if (pane_.wanted.empty()) return;
  read_elements(*side().snapshot, side().record(), *side().reader, pane_.wanted, pane_.numbers);
  std::size_t i = 0;
  for_each_cell(seen, [&](std::int64_t row, std::int64_t column) { draw_number({row, column}, pane_.numbers[i++].text); });
}

void PaneDrawing::draw_number(CellAt cell, const std::string& text) {
  const ImVec2 from = frame_.corner(cell.row, cell.column), to = frame_.corner(cell.row + 1, cell.column + 1);
  const int x = std::clamp(static_cast<int>((from.x + to.x) / 2 - frame_.cells().x), 0, pane_.painted.width - 1),
            y = std::clamp(static_cast<int>((from.y + to.y) / 2 - frame_.cells().y), 0, pane_.painted.height - 1);
  const float top = (from.y + to.y - ImGui::GetTextLineHeight()) / 2;
  frame_.draw_number(ImGui::GetWindowDrawList(), cell, top, text_on(pane_.texture.pixel(x, y)), text);
}

void PaneDrawing::draw_focus() {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const auto ring = [&](const Focus& focus, FocusMark mark) {
    if (const auto element = element_of_two(context_, focus); element && *element < side().record().elements)
      frame_.draw_ring(list, *element, mark);
  };
  ring(context_.pinned, FocusMark::pinned);
  if (context_.hover != context_.pinned) ring(context_.hover, FocusMark::hovered);
}

void PaneDrawing::point() {
  const auto cell = hovered_ ? frame_.cell_at(ImGui::GetIO().MousePos) : std::nullopt;
  const auto element = cell ? element_of(side().layout(), pane_.axes, *cell) : std::nullopt;
  if (!element) return;
  commands_.push(command::Hover{focus_of_two(context_, which_, *element)});
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4);
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0)
    commands_.push(command::Pin{focus_of_two(context_, ComparePicture::a, *element)});
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
    explain(place_text(*cell, *element));
}

std::string PaneDrawing::place_text(CellAt cell, std::uint64_t element) const {
  const ComparedSides& sides = context_.compared_sides;
  std::string text = index_text(sides.a.layout(), element);
  for (const ComparedSide* const one : {&sides.a, &sides.b}) {
    const auto value = one->reader != nullptr ? read_element(*one->snapshot, one->record(), element, *one->reader) : std::nullopt;
    if (value) text += fmt::format("\n{}: {}", one == &sides.a ? "A" : "B", compared_text(*value, one->own));
  }
  const bool several = about_this() && pane_.view.level != TexelLevel{};
  if (several) text += "\nThe pixel: " + texel_text(store(), pane_.view, pane_.camera.cells(), cell.row, cell.column);
  return text;
}

Digits PaneDrawing::digits() const {
  if (!is_difference()) return digits_of(side().values().dtype);
  const bool of_integers = digits_of(context_.compared_sides.a.values().dtype) == Digits::all &&
                           digits_of(context_.compared_sides.b.values().dtype) == Digits::all;
  return of_integers && look_.kind != core::DifferenceKind::relative ? Digits::all : Digits::six;
}

// ---- below the picture ----

void PaneDrawing::draw_scale() {
  const bool complex =
      is_difference() ? is_complex(context_.compared_sides.a) || is_complex(context_.compared_sides.b) : is_complex(side());
  draw_comparison_scale(context_, {.range = pane_.range,
                                   .inks = look().inks,
                                   .specials = pane_.drawn.flags,
                                   .of_difference = is_difference(),
                                   .of_unequal = is_difference() && look_.kind == core::DifferenceKind::unequal,
                                   .truth_values = is_bool(side()) && !is_difference(),
                                   .digits = digits(),
                                   .exact = is_difference() ? kExactInDoubles : exact_of(side().values().dtype),
                                   .complex_values = complex});
}

// Says when the memory may hold other data.
void PaneDrawing::draw_stale() {
  pane_.said = out_of_date_text(about_this() ? store().read_from() : HeatmapStore::ReadFrom::nothing, context_.moment);
  draw_text(pane_.said, context_.theme.warn);
  if (!context_.compared_sides.may_be_read()) return;
  same_line_for(button_width("Read the present bytes"));
  if (!small_button("Read the present bytes")) return;
  if (auto request = next_request(store(), pane_.camera, heatmap_subject()))
    commands_.push(command::DrawComparison{which_, std::move(*request)});
}

void PaneDrawing::draw_coverage() {
  const HeatmapReading* const reading = about_this() ? store().reading() : nullptr;
  if (!own()) return draw_stale();
  if (reading != nullptr && reading->phase == HeatmapReading::Phase::failed) {
    pane_.said = "The values were not read: " + reading->why + ".";
    return draw_wrapped_text(pane_.said, context_.theme.bad);
  }
  if (reading == nullptr || !pane_.known.is_covered()) {
    pane_.said = "reading …";
    return draw_text(pane_.said, context_.theme.dim);
  }
  const core::CellCounts cells = pane_.camera.cells();
  const core::CellWindow window = window_of(pane_.view.level, pane_.view.tiles, cells);
  const core::WindowValues values = heatmap_subject().count(window);
  const HeatmapCoverage about = coverage(pane_.known, values.shown, window.rows == cells.rows && window.columns == cells.columns);
  pane_.said = about.text;
  // A count that is cut is another count.
  const bool fits = text_width(about.text) <= ImGui::GetContentRegionAvail().x;
  const std::string_view shown = fits ? std::string_view(about.text) : about.is_sample ? "a sample" : "all values";
  draw_text(shown, about.is_sample ? context_.theme.warn : context_.theme.text);
  explain([&] { return fits ? std::string(about.meaning) : about.text + "\n" + std::string(about.meaning); });
  if (!about.is_sample) return;
  const bool becomes_exact = values.to_read <= heatmap_subject().most_exact && reading->phase != HeatmapReading::Phase::cancelled;
  if (becomes_exact) {
    same_line_for(button_width("Cancel"));
    if (!small_button("Cancel")) return;
    pane_.asked_exact = 0;
    if (const TaskEntry* const task = context_.tasks.find(reading->task); task != nullptr && !task->cancel_asked)
      commands_.push(command::CancelTask{reading->task});
    return;
  }
  const std::string what = fmt::format("Read all {} {}###all", grouped(values.to_read), is_difference() ? "pairs" : "values");
  same_line_for(button_width(what.c_str()));
  // More than needed, because a moved view may need a few more; and more than in a request that was cancelled.
  if (small_button(what.c_str()))
    pane_.asked_exact = std::max(values.to_read + values.to_read / 2, reading->asked.most_exact + 1);
  explain("As a task, at the speed of memory. It goes on while Python runs or hangs, and can be cancelled.");
}

void PaneDrawing::draw_legend() {
  draw_scale();
  draw_coverage();
}

}  // namespace dlscope::app
