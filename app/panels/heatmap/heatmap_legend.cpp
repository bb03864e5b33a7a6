#include "app/panels/heatmap/heatmap_legend.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_background.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/text/format.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"
#include "core/inventory/tensor_numbers.h"
#include "core/reduce/reduce_task.h"

namespace dlscope::app {
namespace {

core::TensorValues values_of(const FrameContext& context, const core::TensorRecord& tensor) {
  return core::tensor_values(*context.values.snapshot(), tensor);
}

void draw_bar(const ColourTable& table, const std::string& middle) {
  constexpr int kPieces = 64;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(),
              width = std::min(ImGui::GetFontSize() * 12, ImGui::GetContentRegionAvail().x * 0.4F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < kPieces; ++i) {
    const float from = std::floor(at.x + width * static_cast<float>(i) / kPieces),
                to = std::floor(at.x + width * static_cast<float>(i + 1) / kPieces);
    list->AddRectFilled({from, at.y}, {to, at.y + height}, table[static_cast<std::size_t>(i * 255 / (kPieces - 1))]);
  }
  ImGui::Dummy({width, height});
  explain([&] { return fmt::format("The middle of the colours stands for {}.", middle); });
}

void swatch(const FrameContext& context, core::ValueClass value_class, const char* text) {
  ImGui::SameLine(0, context.px(14));
  const float size = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 to{at.x + size, at.y + size};
  list->AddRectFilled(at, to, ImGui::GetColorU32(value_colour(context.theme, value_class)));
  mark_value(list, at, to, to.x, context.theme, value_class, context.scale);  // the same mark as in the cells of the values view
  ImGui::Dummy({size, size});
  ImGui::SameLine(0, context.px(4));
  draw_text(text);
  explain("Somewhere in what is shown. Drawn over all other values of a pixel, and never smaller than can be seen.");
}

void draw_image_scale(const FrameContext& context, HeatmapPanelState& state) {
  state.scale_message = state.range.any          ? image_range_text(state.range, state.drawn, digits_of(state.dtype))
                     : state.range.flags == 0 ? "…"
                                              : "No finite number is known.";
  draw_text(state.scale_message, state.range.any ? context.theme.text : context.theme.dim);
  if (state.range.any) explain("In every channel alike. What lies beyond is drawn as the nearer end.");
}

// A square of each category's colour with the first value that has it; where there is no room for that, the squares side by side.
void draw_categories(const FrameContext& context, HeatmapPanelState& state) {
  const float size = ImGui::GetTextLineHeight(), gap = context.px(8), close = context.px(3);
  const auto square = [&](std::uint32_t colour) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), to{at.x + size, at.y + size};
    ImGui::GetWindowDrawList()->AddRectFilled(at, to, colour);
    ImGui::GetWindowDrawList()->AddRect(at, to, ImGui::GetColorU32(context.theme.dim));
    ImGui::Dummy({size, size});
  };
  state.scale_message = fmt::format("… {} as 0", kCategoryColours);
  const auto texts = ImGui::CalcTextSize("0").x * static_cast<float>(kCategoryColours) + ImGui::CalcTextSize("several").x +
                     ImGui::CalcTextSize(state.scale_message.c_str()).x;
  const float squares = static_cast<float>(kCategoryColours + 1) * (size + close + gap);
  const bool has_room = texts + squares + gap < ImGui::GetContentRegionAvail().x;
  const std::int64_t last = kCategoryColours - 1;
  for (std::int64_t i = 0; i <= last; ++i) {
    if (i > 0) ImGui::SameLine(0, has_room ? gap : 0);
    square(category_colour(static_cast<double>(i), static_cast<double>(i), 0));
    if (!has_room && i < last) continue;
    ImGui::SameLine(0, close);
    draw_text(has_room ? fmt::format("{}", i) : fmt::format("0 to {}", last));
  }
  ImGui::SameLine(0, gap);
  draw_text(state.scale_message, context.theme.dim);
  explain([] {
    return fmt::format("There are {} colours: a value has that of its remainder by {}, so that {} has the colour of 0, and -1 that of {}.",
                       kCategoryColours, kCategoryColours, kCategoryColours, kCategoryColours - 1);
  });
  ImGui::SameLine(0, gap);
  square(several_ink());
  ImGui::SameLine(0, close);
  draw_text("several");
  explain("Pixels that stand for several values which are not all the same. Of a sample, a pixel of one colour may stand for others, too.");
}

// What one dot of an image stands for.
void draw_dot(const FrameContext& context, const HeatmapPanelState& state) {
  const std::string dot = state.axes.channel ? dot_text(state.view.level) : "";
  if (dot.empty()) return;
  ImGui::SameLine(0, context.px(14));
  draw_text(dot, context.theme.dim);
  explain("In each channel by itself. Zoom in to see every pixel. A NaN or an infinity in any channel of any pixel is marked.");
}

// What the whole picture is known to hold from the overview, which is drawn over a sample.
unsigned flags_of_overview(const FrameContext& context, const HeatmapPanelState& state) {
  const core::CellCounts cells = state.camera.cells();
  const core::CellWindow seen = seen_cells(state.camera);
  const bool sees_all = seen.rows == cells.rows && seen.columns == cells.columns;
  const HeatmapStore& store = context.heatmap;
  if (!sees_all || state.known.is_exact() || !store.about(state.tensor, state.axes, {}, state.field) || store.levels().empty()) return 0;
  if (!is_overview_exact(store, cells)) return 0;
  return store.range_of_level(store.levels().front(), TexelNumber::mean).flags & core::kTexelSpecial;
}

void draw_scale(const FrameContext& context, HeatmapPanelState& state) {
  const bool is_bool = static_cast<core::DTypeCode>(state.dtype.code) == core::DTypeCode::bool_;
  if (state.axes.channel) {
    draw_image_scale(context, state);
  } else if (shown_map(state, state.dtype) == ColourMap::categories) {
    draw_categories(context, state);
  } else if (!state.range.any) {
    draw_text(state.range.flags == 0 ? "…" : "No finite number is known.", context.theme.dim);
  } else if (!is_bool && state.range.low == state.range.high) {
    const std::string number = every_digit(state.range.low, digits_of(state.dtype), exact_of(state.dtype));
    const bool rounded = number.starts_with("≈");  // a float64 has fewer digits: the numbers need not be equal
    draw_text((rounded ? "as float64 every number is " : "every number is ") + number);
    if (rounded) explain("Drawn from numbers rounded to a float64: Values and Statistics show smaller differences.");
  } else {
    const ColourScale scale(state.range.low, state.range.high, state.colours.stretch);
    const std::vector<std::string> numbers = colour_numbers(scale, state.dtype);
    draw_text(is_bool ? "False" : numbers[0]);
    ImGui::SameLine(0, context.px(6));
    draw_bar(heatmap_table(state), numbers[1]);
    ImGui::SameLine(0, context.px(6));
    draw_text(is_bool ? "True" : numbers[2]);
  }
  if (!state.range_said.empty()) {
    ImGui::SameLine(0, context.px(14));
    draw_text(state.range_said, state.range_is_sample ? context.theme.warn : context.theme.dim);
    explain("What the two ends of the colours are. The statistics panel has more of them, and reads all values again.");
  }
  const unsigned flags = state.range.flags | flags_of_overview(context, state);
  if ((flags & core::kTexelNan) != 0) swatch(context, core::ValueClass::nan, "NaN");
  if ((flags & core::kTexelPosInf) != 0) swatch(context, core::ValueClass::positive_infinity, "+inf");
  if ((flags & core::kTexelNegInf) != 0) swatch(context, core::ValueClass::negative_infinity, "-inf");
  if (static_cast<core::DTypeCode>(state.dtype.code) == core::DTypeCode::complex) {
    ImGui::SameLine(0, context.px(14));
    draw_text("magnitudes", context.theme.dim);
    explain("A complex number is drawn by its distance from zero.");
  }
  if (state.dtype.lanes > 1) {
    ImGui::SameLine(0, context.px(14));
    draw_text(fmt::format("{} of {} lanes", core::cell_value_name(state.axes.lanes), state.dtype.lanes), context.theme.dim);
  }
}

// A button to read everything visible; nothing when it has been read or is being read.
// before: the most_exact of the view's last request.
void draw_offer(const FrameContext& context, HeatmapPanelState& state, std::uint64_t before, std::uint64_t values) {
  const std::string what = fmt::format("Read all {} values###all", grouped(values));
  same_line_for(button_width(what.c_str()) + ImGui::GetFontSize() * 6);
  // More than needed, because a moved view may need a few more; and more than in a request that was cancelled.
  if (small_button(what.c_str()) || context.asked(ActionId::heatmap_read_all))
    state.asked_exact = std::max(values + values / 2, before + 1);
  explain(
      "As tasks in the script's process, at the speed of memory. They go on while Python runs or hangs, and can be cancelled.");
}

void draw_cancel(const FrameContext& context, HeatmapPanelState& state, const HeatmapReading& reading, Commands& commands) {
  const TaskEntry* const task = context.tasks.find(reading.task);
  same_line_for(button_width("Cancel"));
  if (!small_button("Cancel")) return;
  state.asked_exact = 0;
  if (task != nullptr && !task->cancel_asked) commands.push(command::CancelTask{reading.task});
}

}  // namespace

float heatmap_legend_height() { return ImGui::GetTextLineHeightWithSpacing() * 2 + ImGui::GetStyle().ItemSpacing.y; }

const ColourTable& heatmap_table(const HeatmapPanelState& state) {
  return static_cast<core::DTypeCode>(state.dtype.code) == core::DTypeCode::bool_ ? bool_table()
                                                                                   : colour_table(shown_map(state, state.dtype));
}

std::uint32_t several_ink() { return 0xFF999999U; }

HeatmapSubject heatmap_subject(const FrameContext& context, const HeatmapPanelState& state, const core::TensorRecord& tensor) {
  return {.tensor = state.tensor,
          .axes = &state.axes,
          .values = values_of(context, tensor),
          .most_exact = std::max(exact_at_once(tensor), state.asked_exact),
          .field = state.field};
}

void draw_heatmap_legend(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                         Commands& commands) {
  draw_scale(context, state);
  if (!state.walk.said().empty() && !state.figure.wanted) {
    ImGui::SameLine(0, context.px(14));
    draw_text(state.walk.said(), context.theme.dim);
    explain(state.walk.said());  // where it is cut at the edge
  }
  const bool about_this = context.heatmap.about(state.tensor, state.axes, {}, state.field);
  const HeatmapReading* const reading = about_this ? context.heatmap.reading() : nullptr;
  if (!context.bytes_are_its_own(state.tensor)) {
    state.said = out_of_date_text(about_this ? context.heatmap.read_from() : HeatmapStore::ReadFrom::nothing, context.moment);
    draw_text(state.said, context.theme.warn);
    if (state.figure.wanted || !may_be_read(context.state_of(state.tensor))) return;
    same_line_for(button_width("Read the present bytes"));
    if (!small_button("Read the present bytes")) return;
    if (auto request = next_request(context.heatmap, state.camera, heatmap_subject(context, state, tensor)))
      commands.push(command::DrawHeatmap{std::move(*request)});
    return;
  }
  const std::uint64_t by_itself = std::max(exact_at_once(tensor), state.asked_exact);
  const bool in_background = reading != nullptr && reading->asked.most_exact > by_itself;  // the view is there without it
  if (reading != nullptr && reading->phase == HeatmapReading::Phase::failed && !in_background) {
    state.said = "The values were not read: " + reading->why + ".";
    draw_text(state.said, context.theme.bad);
    return;
  }
  if (!about_this || !state.known.is_covered()) {
    state.said = "reading …";
    draw_text(state.said, context.theme.dim);
    return;
  }
  const core::CellCounts cells = state.camera.cells();
  const core::CellWindow window = window_of(state.view.level, state.view.tiles, cells);
  const bool whole = window.rows == cells.rows && window.columns == cells.columns;
  const core::WindowValues values = core::count_values(values_of(context, tensor), state.axes, window);
  const HeatmapCoverage about = coverage(state.known, values.shown, whole, is_overview_exact(context.heatmap, cells),
                                          may_be_nan(state.dtype));
  state.said = about.text;
  draw_text(about.text, about.is_sample ? context.theme.warn : context.theme.text);
  explain(about.meaning);
  draw_dot(context, state);
  if (!about.is_sample || state.figure.wanted) return;
  const bool becomes_exact = values.to_read <= by_itself;
  if (becomes_exact && reading->phase != HeatmapReading::Phase::cancelled) return draw_cancel(context, state, *reading, commands);
  draw_offer(context, state, in_background ? 0 : reading->asked.most_exact, values.to_read);
}

}  // namespace dlscope::app
