#include "app/panels/exchange/streams_tab.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/panels/exchange/exchange_parts.h"
#include "app/widgets/explained_area.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

ImU32 packed(const ImVec4& colour, float alpha = 1.0F) {
  return ImGui::GetColorU32(ImVec4(colour.x, colour.y, colour.z, colour.w * alpha));
}

void draw_path(const FrameContext& context, ExchangeState& state, Commands& commands) {
  ImGui::SetNextItemWidth(std::max(context.px(120), ImGui::GetContentRegionAvail().x - button_width("Open") - context.px(12)));
  const bool entered =
      ImGui::InputTextWithHint("##path", "file.streams.json", &state.streams.path, ImGuiInputTextFlags_EnterReturnsTrue);
  explain("A recording of streams. It can be dropped on the window, too, or opened like a script.");
  ImGui::SameLine();
  ImGui::BeginDisabled(state.streams.path.empty());
  const bool pressed = ImGui::Button("Open");
  ImGui::EndDisabled();
  if ((entered || pressed) && !state.streams.path.empty()) commands.push(command::OpenScript{state.streams.path});
}

constexpr const char* kAsker = "stream_trace";

void take_recorded(const FrameContext& context, StreamsState& state) {
  const Reply* const reply = context.answers.reply(kAsker);
  if (reply == nullptr || state.ticket == 0 || reply->ticket != state.ticket) return;
  state.ticket = 0;
  auto view = reply->error.empty() ? stream_view_of(reply->text) : core::fail(core::ErrorKind::environment, reply->error);
  state.file.clear();
  state.problem = view ? std::string() : view.error().message;
  state.view = view ? std::optional(std::move(*view)) : std::nullopt;
}

// What the script's Python process has recorded, and the line that writes it to a file.
void draw_recorded_here(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const char* const gone = context.host.is_up() ? nullptr : "There is no Python process that could have recorded anything.";
  const char* why_not = gone != nullptr               ? gone
                        : context.host.python_rests() ? nullptr
                                                      : "Python runs your code. It answers when that has ended or is stopped.";
  ImGui::BeginDisabled(why_not != nullptr || context.answers.closed());
  if (small_button("Show what was recorded here")) {
    state.streams.ticket = ++state.last_ticket;
    state.streams.code_began = context.host.timeline().code_began();
    commands.push(command::AskPython{Question{kAsker, state.streams.ticket, "stream_trace", "{}", true}});
  }
  ImGui::EndDisabled();
  explain(why_not != nullptr ? why_not
                             : "What the hand-overs that dlscope took part in did about streams: dlscope.stream_trace().");
  same_line_for(button_width("Write it to that file"));
  if (why_not == nullptr && !is_stream_trace_file(state.streams.path))
    why_not = "Type a file name that ends in .streams.json above.";
  ImGui::BeginDisabled(why_not != nullptr);
  const std::string line = save_stream_trace_line(state.streams.path);
  if (small_button("Write it to that file")) commands.push(command::RunText{line});
  ImGui::EndDisabled();
  explain(why_not != nullptr ? std::string_view(why_not) : std::string_view(line));
}

// Draws the lanes below each other, with titles on the left.
class LanesDrawing {
 public:
  LanesDrawing(const FrameContext& context, const StreamView& view)
      : context_(context), view_(view), list_(ImGui::GetWindowDrawList()) {
    line_ = ImGui::GetTextLineHeight();
    lane_ = line_ * 2.4F;
    for (const StreamLane& lane : view.picture.lanes) titles_ = std::max(titles_, ImGui::CalcTextSize(lane.title.c_str()).x);
    const float room = std::max(ImGui::GetContentRegionAvail().x, context.px(160));
    titles_ = std::min(titles_ + context.px(12), room * 0.4F);
    from_ = ImGui::GetCursorScreenPos();
    width_ = room - titles_ - context.px(8);
  }

  void draw() {
    for (std::uint32_t i = 0; i < view_.picture.lanes.size(); ++i) draw_lane(i);
    for (const StreamArrow& arrow : view_.picture.arrows) draw_arrow(arrow);
    for (const StreamBlock& block : view_.picture.blocks) draw_block(block);
    for (const StreamMark& mark : view_.picture.marks) draw_mark(mark);
    ImGui::SetCursorScreenPos(from_);
    ImGui::Dummy(ImVec2(titles_ + width_, lane_ * static_cast<float>(view_.picture.lanes.size())));
  }

 private:
  [[nodiscard]] float x(float part) const { return from_.x + titles_ + part * width_; }
  [[nodiscard]] float top(std::uint32_t lane) const { return from_.y + lane_ * static_cast<float>(lane); }
  [[nodiscard]] float middle(std::uint32_t lane) const { return top(lane) + lane_ * 0.5F; }

  void draw_lane(std::uint32_t i) {
    const StreamLane& lane = view_.picture.lanes[i];
    list_->PushClipRect(ImVec2(from_.x, top(i)), ImVec2(from_.x + titles_ - context_.px(4), top(i) + lane_), true);
    list_->AddText(ImVec2(from_.x, middle(i) - line_ * 0.5F), packed(context_.theme.text), lane.title.c_str());
    list_->PopClipRect();
    list_->AddLine(ImVec2(x(0), middle(i)), ImVec2(x(1), middle(i)), packed(context_.theme.border), 1.0F);
    explained_area(ImVec2(from_.x, top(i)), ImVec2(from_.x + titles_, top(i) + lane_), static_cast<int>(i),
                   lane.title + ": " + lane.meaning);
  }

  void draw_block(const StreamBlock& block) {
    const core::TraceStep& step = view_.trace.steps[block.step];
    const bool writes = step.kind == core::StepKind::write;
    const ImVec4& colour = block.in_race ? context_.theme.bad : writes ? context_.theme.accent : context_.theme.good;
    const ImVec2 from(x(block.begin), top(block.lane) + lane_ * 0.15F);
    const ImVec2 to(std::max(x(block.end), from.x + context_.px(6)), top(block.lane) + lane_ * 0.85F);
    const ImU32 fill = packed(colour, writes ? 1.0F : 0.65F);
    list_->AddRectFilled(from, to, fill, context_.px(3));
    if (block.in_race) hatch(list_, from, to, packed(context_.theme.background, 0.6F), context_.px(6));
    const std::string text = fmt::format("{} {}", core::step_kind_name(step.kind), view_.trace.buffers[step.buffer].name);
    list_->PushClipRect(from, to, true);
    list_->AddText(ImVec2(from.x + context_.px(4), (from.y + to.y - line_) * 0.5F), text_on(fill | IM_COL32_A_MASK),
                   text.c_str());
    list_->PopClipRect();
    std::string meaning = step_text(view_.trace, block.step);
    if (step.end_ns >= 0) meaning += fmt::format("\n{:.1f} µs", static_cast<double>(step.end_ns - step.begin_ns) / 1e3);
    explained_area(from, to, static_cast<int>(1000 + block.step), meaning);
  }

  void draw_mark(const StreamMark& mark) {
    const core::StepKind kind = view_.trace.steps[mark.step].kind;
    const ImVec4& colour = kind == core::StepKind::hand_over ? context_.theme.warn : context_.theme.text;
    const ImVec2 at(x(mark.at), middle(mark.lane));
    const float half = lane_ * 0.45F;
    list_->AddLine(ImVec2(at.x, at.y - half), ImVec2(at.x, at.y + half), packed(colour), context_.px(2));
    if (kind == core::StepKind::hand_over)
      list_->AddTriangleFilled(ImVec2(at.x, at.y - half), ImVec2(at.x + context_.px(8), at.y - half + context_.px(4)),
                               ImVec2(at.x, at.y - half + context_.px(8)), packed(colour));
    explained_area(ImVec2(at.x - context_.px(4), at.y - half), ImVec2(at.x + context_.px(4), at.y + half),
                   static_cast<int>(5000 + mark.step), step_text(view_.trace, mark.step));
  }

  void draw_arrow(const StreamArrow& arrow) {
    const ImVec2 from(x(arrow.from), middle(arrow.from_lane)), to(x(arrow.to), middle(arrow.to_lane));
    const ImU32 colour = packed(context_.theme.good);
    list_->AddLine(from, to, colour, context_.px(2));
    list_->AddCircleFilled(to, context_.px(4), colour);
  }

  const FrameContext& context_;
  const StreamView& view_;
  ImDrawList* list_;
  ImVec2 from_;
  float line_ = 0, lane_ = 0, titles_ = 0, width_ = 0;
};

void draw_pairs(const FrameContext& context, const StreamView& view) {
  draw_text("What is ordered, and what is not", context.theme.dim);
  for (const core::OrderPair& pair : view.verdict.pairs) {
    const bool race = pair.ordering != core::Ordering::ordered;
    draw_wrapped_text((race ? "✗ " : "✓ ") + core::order_text(view.trace, pair), race ? context.theme.bad : context.theme.text);
  }
}

void draw_steps(const FrameContext& context, const StreamView& view) {
  draw_text("As the host issued it", context.theme.dim);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  for (std::uint32_t i = 0; i < view.trace.steps.size(); ++i) draw_wrapped_text(step_text(view.trace, i), context.theme.text);
  ImGui::PopFont();
}

// Whose recording the verdict is about: the path above it may be typed for another one.
VerdictAge draw_source(const FrameContext& context, const StreamsState& state) {
  const StreamView& view = *state.view;
  const bool of_file = !state.file.empty();
  draw_wrapped_text(of_file ? "Of " + state.file : std::string("Recorded here, by Python's process"), context.theme.text);
  if (!view.trace.title.empty()) draw_wrapped_text(view.trace.title, context.theme.dim);
  draw_wrapped_text(of_file ? recording_text(view.trace) : recorded_here_text(), context.theme.warn);
  return of_file ? VerdictAge::of_now : draw_age(context, state.code_began);
}

void draw_view(const FrameContext& context, const StreamsState& state) {
  const StreamView& view = *state.view;
  const VerdictAge age = draw_source(context, state);
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  const bool is_dim = age == VerdictAge::outdated || (view.verdict.pairs.empty() && !view.verdict.race);
  draw_text(stream_verdict_word(view.verdict), is_dim ? context.theme.dim
                                               : view.verdict.race ? context.theme.bad
                                                                   : context.theme.good);
  ImGui::PopFont();
  if (view.verdict.deciding != core::kNotGiven) {
    const core::OrderPair& pair = view.verdict.pairs[view.verdict.deciding];
    draw_wrapped_text(core::order_text(view.trace, pair) + ".", context.theme.text);
    if (const std::string advice = core::race_advice(view.trace, pair); !advice.empty())
      draw_wrapped_text(advice, context.theme.accent);
  }
  if (!view.picture.lanes.empty()) LanesDrawing(context, view).draw();
  draw_text(view.picture.measured
                ? LineText("{:.1f} µs from left to right, as recorded", static_cast<double>(view.picture.span_ns) / 1e3)
                : LineText("From left to right as the host issued it; times were not measured"),
            context.theme.dim);
  draw_pairs(context, view);
  draw_steps(context, view);
}

}  // namespace

void draw_streams_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  take_recorded(context, state.streams);
  draw_path(context, state, commands);
  draw_recorded_here(context, state, commands);
  if (!state.streams.problem.empty()) draw_wrapped_text(state.streams.problem, context.theme.bad);
  if (state.streams.view) return draw_view(context, state.streams);
  draw_wrapped_text(
      "A hand-over between streams of a device can race: the reader may begin before the writer is done. A recording of who "
      "wrote, read, recorded and waited for what is judged here by the rules of the device, on any machine: one of a file "
      "(assets/samples has two: race.streams.json and ordered.streams.json), or what dlscope saw of the hand-overs here.",
      context.theme.dim);
}

}  // namespace dlscope::app
