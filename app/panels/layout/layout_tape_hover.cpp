// The mouse on the tape.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "app/panels/layout/layout_tape_painter.h"
#include "app/widgets/marks.h"

namespace dlscope::app {

void TapePainter::hover() {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsItemHovered() || mouse.x < left_) return;
  const std::int64_t bit = state_.tape.unit_at(static_cast<double>(mouse.x - left_));
  if (mouse.y >= reach_top_ && mouse.y < ruler_top_) return explain_reach(bit);
  for (std::size_t i = 0; i < shown_strips_; ++i) {
    if (mouse.y >= top_of(i) && mouse.y < bottom_of(i))
      return hover_strip(i, bit);
  }
}

void TapePainter::hover_strip(std::size_t i, std::int64_t bit) {
  const TapeStrip& strip = state_.strips[i];
  for (const TapePiece& piece : strip.pieces) {
    if (bit < piece.begin + strip.origin || bit >= piece.end + strip.origin) continue;
    const Focus focus = focus_of(strip, piece, bit);
    commands_.push(command::Hover{focus});
    const bool still = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0;
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && still && focus.element) commands_.push(command::Pin{focus});
    explain_piece(strip, piece);
    return;
  }
}

Focus TapePainter::focus_of(const TapeStrip& strip, const TapePiece& piece, std::int64_t bit) const {
  std::optional<std::uint64_t> element = piece.element;
  if (strip.step > 1) {  // choose one of the cells that the piece stands for
    const std::int64_t cell = strip.tape->cell_bits();
    const std::int64_t begin = strip.tape->begin() + strip.tape->cell_of(bit - strip.origin) * cell;
    element = strip.tape->element_at(begin, begin + cell);
  }
  if (element) {
    Focus focus = focus_on(*context_.index, strip.tensor, *element);
    if (!state_.range.addressed) focus.bytes = {};
    return focus;
  }
  Focus focus{.tensor = strip.tensor, .element = std::nullopt, .space = tensor_.space, .bytes = {}};
  if (state_.range.addressed) {
    const auto byte = static_cast<core::Address>(bit / 8);
    focus.bytes = {state_.range.begin + byte, state_.range.begin + byte + 1};
  }
  return focus;
}

void TapePainter::explain_piece(const TapeStrip& strip, const TapePiece& piece) const {
  if (strip.step > 1 && piece.elements) {
    std::string text =
        fmt::format("{} seen together: {} of {}.", human_bytes(static_cast<std::uint64_t>((piece.end - piece.begin + 7) / 8)),
                    counted(*piece.elements, "element", "elements"), strip.name);
    if (piece.filled && *piece.filled < 0.995) text += fmt::format(" About {:.0f} % of these bytes.", *piece.filled * 100);
    return explain(text);
  }
  if (!piece.elements)
    explain("How many elements use these same bytes was not counted: too many indices reach them.");
  else if (*piece.elements == 0)
    explain(fmt::format("A hole: no element of {} lies here. Other tensors may use these bytes.", strip.name));
  else if (*piece.elements > 1)
    explain(fmt::format("{} elements of {} are these same bytes. Writing to one changes all of them.", grouped(*piece.elements),
                        strip.name));
}

}  // namespace dlscope::app
