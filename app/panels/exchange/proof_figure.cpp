#include "app/panels/exchange/proof_figure.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <utility>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kColumnWidth = 36, kLabelWidth = 7;             // in letters' heights
constexpr std::array kSizes{1.0F, 0.85F, 0.7F, 0.6F, 0.5F};  // of the letters, until everything has room
constexpr float kSmallestLetters = 11;                          // pixels

// Text at its place, in pixels from the figure's corner.
struct Placed {
  ImVec2 at;
  float width = 0;  // where it wraps
  ImVec4 colour;
  ImFont* font = nullptr;
  float size = 0;
  std::string text;
};

struct Room {
  float size = 0;     // of the letters
  int columns = 1;
  ImVec2 most;        // of the whole figure
};

class FigureLayout {
 public:
  FigureLayout(const FrameContext& context, const core::Proof& proof, const ProofFigureText& text, Room room)
      : context_(context), proof_(proof), text_(text), room_(room), margin_(room.size) {
    add_head();
    add_steps();
    add_foot();
  }

  [[nodiscard]] bool holds_all() const { return shown_ == proof_.steps.size(); }
  [[nodiscard]] std::size_t shown() const { return shown_; }
  [[nodiscard]] ImVec2 extent() const { return {whole_width() + 2 * margin_, std::min(bottom_ + margin_, room_.most.y)}; }

  void draw(ImDrawList* list, ImVec2 from) const {
    const ImVec2 to{from.x + extent().x, from.y + extent().y};
    list->AddRectFilled(from, to, ImGui::GetColorU32(context_.theme.panel));
    for (const ImVec2& at : rules_)
      list->AddLine({from.x + at.x, from.y + at.y}, {from.x + at.x + column_width(), from.y + at.y},
                    ImGui::GetColorU32(context_.theme.border));
    for (const Placed& each : placed_)
      list->AddText(each.font, each.size, {from.x + each.at.x, from.y + each.at.y}, ImGui::GetColorU32(each.colour),
                    each.text.data(), each.text.data() + each.text.size(), each.width);
  }

 private:
  [[nodiscard]] float column_width() const {
    return std::min(room_.size * kColumnWidth, room_.most.x - 2 * margin_);
  }
  [[nodiscard]] float whole_width() const {
    return column_width() * static_cast<float>(room_.columns) + 2 * margin_ * static_cast<float>(room_.columns - 1);
  }

  // Adds text and returns its height.
  float add(ImVec2 at, float width, const ImVec4& colour, std::string text, ImFont* font = nullptr, float larger = 1) {
    Placed each{at, width, colour, font != nullptr ? font : context_.fonts.ui, room_.size * larger, std::move(text)};
    const float height =
        each.font->CalcTextSizeA(each.size, FLT_MAX, width, each.text.data(), each.text.data() + each.text.size()).y;
    placed_.push_back(std::move(each));
    return height;
  }

  void add_head() {
    const Theme& theme = context_.theme;
    const bool old = !text_.outdated.empty();
    const char* const verdict = core::hand_over_name(proof_.verdict);
    float y = margin_;
    const auto line = [&](const ImVec4& colour, std::string text, ImFont* font = nullptr, float larger = 1) {
      y += add({margin_, y}, whole_width(), colour, std::move(text), font, larger) + room_.size * 0.2F;
    };
    line(theme.text, "Proof: " + chain_text(proof_), context_.fonts.bold, 1.15F);
    line(old ? theme.dim : tone_colour(theme, verdict_tone(verdict)), verdict, context_.fonts.bold, 1.15F);
    line(theme.dim, proof_meaning(proof_));
    if (old) line(theme.warn, text_.outdated);
    top_ = bottom_ = y + room_.size * 0.4F;
  }

  // As many as have room, column by column.
  void add_steps() {
    const float foot = room_.size * 3.2F, most = room_.most.y - margin_ - foot;
    float x = margin_, y = top_;
    int column = 0;
    while (shown_ < proof_.steps.size()) {
      const std::size_t texts = placed_.size(), rules = rules_.size();
      const float end = add_step(proof_.steps[shown_], x, y);
      if (end <= most) {
        bottom_ = std::max(bottom_, end);
        y = end;
        ++shown_;
        continue;
      }
      placed_.resize(texts);
      rules_.resize(rules);
      if (++column >= room_.columns) return;
      x += column_width() + 2 * margin_;
      y = top_;
    }
  }

  // Returns where the next one begins.
  float add_step(const core::ProofStep& step, float x, float y) {
    const Theme& theme = context_.theme;
    const float gap = room_.size * 0.2F, width = column_width(), label = room_.size * kLabelWidth;
    rules_.push_back({x, y});
    y += 2 * gap;
    y += add({x, y}, width, theme.text, step.from + " → " + step.to, context_.fonts.bold) + gap;
    const char* const verdict = core::hand_over_name(step.verdict);
    const ImVec4 colour = text_.outdated.empty() ? tone_colour(theme, verdict_tone(verdict)) : theme.dim;
    y += add({x, y}, width, colour, verdict, context_.fonts.bold) + gap;
    if (std::string warning = unlike_writability(step); !warning.empty())
      y += add({x, y}, width, theme.warn, std::move(warning)) + gap;
    for (auto& [what, words] : evidence_of(step)) {
      const float left = add({x, y}, label, theme.dim, what);
      y += std::max(left, add({x + label, y}, width - label, theme.text, words)) + gap;
    }
    return y + 2 * gap;
  }

  void add_foot() {
    float y = bottom_ + room_.size * 0.2F;
    if (!holds_all())
      y += add({margin_, y}, whole_width(), context_.theme.warn,
               fmt::format("The first {} of {} steps have room here; all of them are in the proof as JSON.", shown_,
                           proof_.steps.size())) + room_.size * 0.2F;
    bottom_ = y + add({margin_, y}, whole_width(), context_.theme.dim, text_.caption);
  }

  const FrameContext& context_;
  const core::Proof& proof_;
  const ProofFigureText& text_;
  Room room_;
  float margin_ = 0, top_ = 0, bottom_ = 0;
  std::size_t shown_ = 0;
  std::vector<Placed> placed_;
  std::vector<ImVec2> rules_;
};

// The largest letters, and of these the fewest columns, with room for every step; else what has room for most of them.
FigureLayout best_layout(const FrameContext& context, const core::Proof& proof, const ProofFigureText& text, ImVec2 most) {
  std::optional<FigureLayout> best;
  for (const float part : kSizes) {
    const float size = std::max(ImGui::GetFontSize() * part, std::min(kSmallestLetters, ImGui::GetFontSize()));
    const int columns = std::max(1, static_cast<int>(most.x / (size * (kColumnWidth + 2))));
    for (int count = 1; count <= columns; ++count) {
      FigureLayout layout(context, proof, text, {size, count, most});
      if (layout.holds_all()) return layout;
      if (!best || layout.shown() > best->shown()) best.emplace(std::move(layout));
    }
  }
  return *std::move(best);
}

}  // namespace

void draw_proof_figure(const FrameContext& context, const core::Proof& proof, const ProofFigureText& text, ProofFigure& figure) {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const FigureLayout layout = best_layout(context, proof, text, viewport->Size);
  layout.draw(ImGui::GetForegroundDrawList(), viewport->Pos);
  figure.from = {0, 0};
  figure.to = layout.extent();
}

}  // namespace dlscope::app
