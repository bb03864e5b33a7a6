#include "app/panels/compare/comparison_scale.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/models/heatmap/heatmap_text.h"
#include "app/widgets/marks.h"
#include "core/reduce/texels.h"

namespace dlscope::app {
namespace {

constexpr int kPieces = 48;  // of the colour strip

class ScaleDrawing {
 public:
  ScaleDrawing(const FrameContext& context, const ComparisonScale& scale) : context_(context), scale_(scale) {}

  void draw() {
    if (scale_.of_difference && (scale_.range.any || scale_.of_unequal)) draw_equal();
    draw_range();
    draw_specials();
    if (!scale_.complex_values || scale_.of_unequal) return;
    next(text_width("magnitudes"));
    draw_text("magnitudes", context_.theme.dim);
    explain("A complex number is drawn by its distance from zero.");
  }

 private:
  // Continues on this line, or on the next when there is no room for `width`.
  void next(float width) {
    if (std::exchange(first_, false)) return;
    ImGui::SameLine(0, context_.px(12));
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  }

  void draw_swatch(ImU32 colour, const char* text, const char* meaning) {
    const float size = ImGui::GetTextLineHeight();
    next(size + context_.px(4) + text_width(text));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size, at.y + size}, colour);
    ImGui::Dummy({size, size});
    ImGui::SameLine(0, context_.px(4));
    draw_text(text);
    explain(meaning);
  }

  void draw_equal() {
    draw_swatch(scale_.inks.equal, "equal",
                "All pairs of the pixel are equal. Any other pixel has another colour, and is never smaller than can be seen. NaN "
                "in both counts as equal, as do 0 and -0.");
  }

  void draw_range() {
    const NumberRange& range = scale_.range;
    const bool all_equal = scale_.of_difference && range.any && (range.flags & core::kTexelUnequal) == 0;
    if (!range.any && range.flags == 0) {
      next(0);
      draw_text("…", context_.theme.dim);
    } else if (scale_.of_unequal && !all_equal) {
      draw_swatch(scale_.inks.table->back(), "different",
                  "Some pair of the pixel differs, be it NaN and a number, or infinities.");
    } else if (range.any && !all_equal && (scale_.of_difference || range.low != range.high)) {
      draw_strip();
    } else if (range.any && !scale_.of_difference) {
      next(0);
      draw_text("every number is " + every_digit(range.low, scale_.digits, scale_.exact));
    }
  }

  // The colour strip between the numbers at its ends.
  void draw_strip() {
    const std::vector<std::string> ends = short_numbers({scale_.range.low, scale_.range.high}, scale_.digits);
    const std::string &low = scale_.truth_values ? "False" : ends[0], &high = scale_.truth_values ? "True" : ends[1];
    const float numbers = text_width(low) + text_width(high) + context_.px(6) * 2, height = ImGui::GetTextLineHeight();
    const float widest = ImGui::GetFontSize() * 5;
    next(numbers + widest);
    const float width = std::clamp(std::floor(ImGui::GetContentRegionAvail().x - numbers), ImGui::GetFontSize(), widest);
    draw_text(low);
    ImGui::SameLine(0, context_.px(6));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    for (int i = 0; i < kPieces; ++i) {
      const float left = std::floor(at.x + width * static_cast<float>(i) / kPieces),
                  right = std::floor(at.x + width * static_cast<float>(i + 1) / kPieces);
      ImGui::GetWindowDrawList()->AddRectFilled({left, at.y}, {right, at.y + height},
                                                (*scale_.inks.table)[static_cast<std::size_t>(i * 255 / (kPieces - 1))]);
    }
    ImGui::Dummy({width, height});
    ImGui::SameLine(0, context_.px(6));
    draw_text(high);
    if (!scale_.of_difference) return;
    explain(
        "As far below zero as above, of all that is drawn at this zoom; of the pairs of a pixel the largest difference. Of exact "
        "values: 64-bit integers do not wrap, and what is too large for a float64 is drawn as the largest one.");
  }

  void draw_specials() {
    const char* const meaning = scale_.of_difference ? "This difference has no number."
                                                     : "Somewhere in what is shown, and never smaller than can be seen.";
    const auto special = [&](std::uint8_t flag, ImU32 ink, const char* text) {
      if ((scale_.specials & flag) != 0) draw_swatch(ink, text, meaning);
    };
    special(core::kTexelNan, scale_.inks.nan, scale_.of_difference ? "NaN in one" : "NaN");
    special(core::kTexelPosInf, scale_.inks.pos_inf, "+inf");
    special(core::kTexelNegInf, scale_.inks.neg_inf, "-inf");
  }

  const FrameContext& context_;
  const ComparisonScale& scale_;
  bool first_ = true;
};

}  // namespace

void draw_comparison_scale(const FrameContext& context, const ComparisonScale& scale) { ScaleDrawing(context, scale).draw(); }

}  // namespace dlscope::app
