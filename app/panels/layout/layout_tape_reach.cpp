// How often each byte is reached: a profile below the tape of a tensor that repeats or overlaps itself, and the counts in words.
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "app/models/text/format.h"
#include "app/panels/layout/layout_tape_painter.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMinBar = 3;  // pixels: narrower runs are combined
constexpr float kLeastHeight = 0.12F;

std::string times_label(const ReachPiece& piece) {
  if (piece.least == piece.most) return fmt::format("×{}", grouped(piece.most));
  return fmt::format("×{}–{}", grouped(piece.least), grouped(piece.most));
}

bool is_counted_now(const FrameContext& context, std::uint32_t tensor) {
  const TouchAnswer* const answer = context.touches != nullptr ? context.touches->find(*context.index->snapshot, tensor) : nullptr;
  return answer != nullptr && answer->phase == TouchAnswer::Phase::counting;
}

}  // namespace

void TapePainter::draw_reach() {
  const TapeStrip& own = state_.strips.front();
  const auto least_bits = static_cast<std::int64_t>(static_cast<double>(context_.px(kMinBar)) / state_.tape.px_per_unit());
  const std::int64_t first = state_.tape.unit_at(0) - own.origin;
  const std::int64_t last = state_.tape.unit_at(static_cast<double>(to_.x - left_)) - own.origin + 1;
  const auto cells = own.step == 1 ? std::span<const TapePiece>(own.pieces) : std::span<const TapePiece>();
  state_.reach->read(first, last, least_bits, cells, state_.reach_pieces);
  std::uint64_t most = 1;
  for (const core::TouchedBytes& each : state_.reach->counts()) most = std::max(most, each.times);
  for (const ReachPiece& piece : state_.reach_pieces) most = std::max(most, piece.most);
  for (const ReachPiece& piece : state_.reach_pieces) draw_reach_piece(piece, most);
  state_.drawn.reach_pieces = static_cast<int>(state_.reach_pieces.size());
  if (words_) draw_reach_words();
}

// A bar as high as the most times a byte is reached, and within it one as high as the fewest.
void TapePainter::draw_reach_piece(const ReachPiece& piece, std::uint64_t most) {
  const std::int64_t shift = state_.strips.front().origin;
  const float x0 = std::max(x_of(piece.begin + shift), left_), x1 = std::min(x_of(piece.end + shift), to_.x);
  if (x1 < left_ || x0 > to_.x) return;
  const float top = reach_top_ + context_.px(1), bottom = ruler_top_ - context_.px(1);
  const ImVec2 to{std::max(x0 + 1, x1 - (x1 - x0 > 4 ? 1.0F : 0.0F)), bottom};
  if (!piece.counted) return hatch(list_, {x0, top}, to, ImGui::GetColorU32(context_.theme.unknown), context_.px(5));
  if (piece.most == 0) return;
  const auto height = [&](std::uint64_t times) {
    const float part = static_cast<float>(static_cast<double>(times) / static_cast<double>(most));
    return (bottom - top) * std::max(part, kLeastHeight);
  };
  const ImVec4& ink = context_.theme.dim;  // pale enough for the text on it
  const ImU32 bar = ImGui::GetColorU32({ink.x, ink.y, ink.z, 0.3F});
  list_->AddRectFilled({x0, bottom - height(piece.most)}, to, bar);
  if (piece.least > 0) list_->AddRectFilled({x0, bottom - height(piece.least)}, to, bar);
  const std::string label = times_label(piece);
  const ImVec2 size = ImGui::CalcTextSize(label.c_str());
  if (size.x > to.x - x0 - context_.px(2)) return;
  const float y = (top + bottom - size.y) * 0.5F;
  list_->AddText({x0 + (to.x - x0 - size.x) * 0.5F, y}, ImGui::GetColorU32(context_.theme.text), label.c_str());
}

void TapePainter::draw_reach_words() {
  const std::string_view words =
      !state_.reach_words.empty()
          ? std::string_view(state_.reach_words)
          : first_that_fits({"How often all its bytes are reached takes too much work to count at once: zoom in until single "
                             "elements are seen.",
                             "How often its bytes are reached was not counted: zoom in.", "Not counted: zoom in."},
                            to_.x - left_);
  const float y = ruler_top_ + ImGui::GetTextLineHeight() + context_.px(2);
  list_->AddText({left_, y}, ImGui::GetColorU32(context_.theme.dim), words.data(), words.data() + words.size());
}

void TapePainter::explain_reach(std::int64_t bit) const {
  const TapeStrip& own = state_.strips.front();
  for (const ReachPiece& piece : state_.reach_pieces) {
    if (bit >= piece.begin + own.origin && bit < piece.end + own.origin) 
      return explain(reach_sentence(piece, own.name, is_counted_now(context_, own.tensor)));
  }
}

}  // namespace dlscope::app
