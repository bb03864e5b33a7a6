#include "app/panels/exchange/exchange_parts.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/debug/names_frame.h"
#include "app/models/exchange/runnable_line.h"
#include "app/models/host/act_refusal.h"
#include "app/models/text/element_description.h"
#include "app/models/text/fitted_text.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;

}  // namespace

void draw_subject(const FrameContext& context, const ExchangeSubject& subject) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_text(subject.sliced, context.theme.text);
  ImGui::PopFont();
  ImGui::SameLine();
  draw_text(subject.library, context.theme.dim);
}

std::string button_name(std::string_view name, const char* words) {
  const float room = ImGui::GetContentRegionAvail().x - button_width(words);
  const std::string cut = shortened(name, kNameLength);
  return fit_text(cut, room, text_width).str();
}

const char* why_not_now(const FrameContext& context, const ExchangeState& state) {
  if (const char* const why_not = why_not_acted(context.moment, context.host)) return why_not;
  return state.busy ? "The last request is still being worked on." : nullptr;
}

bool draw_go(const FrameContext& context, const ExchangeState& state, const char* label, std::string_view why_not) {
  const char* const refusal = why_not_now(context, state);
  if (refusal != nullptr) why_not = refusal;
  ImGui::BeginDisabled(!why_not.empty());
  const bool pressed = ImGui::Button(label);
  ImGui::EndDisabled();
  if (!why_not.empty()) explain(why_not);
  return pressed;
}

void forget_handed(ExchangeState& state) {
  state.hand.result = {};
  state.hand.lost.reset();
}

void draw_line(const FrameContext& context, const std::string& line, std::string_view raises) {
  if (line.empty()) {
    ImGui::BeginDisabled();
    small_button("Copy line");
    ImGui::EndDisabled();
    return explain(kNoExpression);
  }
  if (!raises.empty()) draw_wrapped_text(raises, context.theme.warn);
  if (const auto frames = other_frame_chosen(context.host.frames(), context.moment))
    draw_wrapped_text(line_frame_text(*frames), context.theme.warn);
  const std::string runs = runnable_line(line);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(runs, runs, "line");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  same_line_for(button_width("Copy line"));
  if (small_button("Copy line")) ImGui::SetClipboardText(runs.c_str());
  explain(raises.empty() ? "The Python line that does the same." : "Copies the line that was refused, to look for the reason.");
}

void draw_calls(const FrameContext& context, const std::vector<core::wire::ExchangeCall>& calls, bool with_answers) {
  int number = 0;
  ImGui::PushFont(context.fonts.mono, 0.0F);
  for (const core::wire::ExchangeCall& call : calls) {
    draw_text(LineText("{}.", ++number), context.theme.dim);
    ImGui::SameLine();
    draw_wrapped_text(call.what, call.failed ? context.theme.bad : context.theme.text);
    if (!with_answers || call.answer.empty()) continue;
    ImGui::Indent(context.px(24));
    draw_wrapped_text("→ " + call.answer, call.failed ? context.theme.bad : context.theme.dim);
    ImGui::Unindent(context.px(24));
  }
  ImGui::PopFont();
}

void draw_evidence(const FrameContext& context, const std::vector<EvidenceLine>& lines) {
  if (lines.empty() || !ImGui::BeginTable("evidence", 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings))
    return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 7);
  ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch);
  for (const auto& [label, text] : lines) {
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    draw_text(label, context.theme.dim);
    ImGui::TableSetColumnIndex(1);
    draw_wrapped_text(text, context.theme.text);
  }
  ImGui::EndTable();
}

void draw_verdict(const FrameContext& context, std::string_view verdict, std::string_view meaning, VerdictAge age) {
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  draw_text(verdict, age == VerdictAge::outdated ? context.theme.dim : tone_colour(context.theme, verdict_tone(verdict)));
  ImGui::PopFont();
  draw_wrapped_text(meaning, context.theme.dim);
}

void scroll_into_view(float top) {
  const float end = ImGui::GetCursorPosY(), room = ImGui::GetWindowHeight();
  if (end - ImGui::GetScrollY() > room) ImGui::SetScrollY(std::min(top, end - room));
}

VerdictAge age_of(const FrameContext& context, std::uint64_t code_began) {
  return context.host.timeline().code_began() > code_began ? VerdictAge::outdated : VerdictAge::of_now;
}

VerdictAge draw_age(const FrameContext& context, std::uint64_t code_began) {
  const VerdictAge age = age_of(context, code_began);
  if (age == VerdictAge::outdated) draw_wrapped_text(kCodeHasRun, context.theme.warn);
  return age;
}

}  // namespace dlscope::app
