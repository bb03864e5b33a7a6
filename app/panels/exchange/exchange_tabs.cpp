#include "app/panels/exchange/exchange_tabs.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/models/exchange/exchange_text.h"
#include "app/models/host/act_refusal.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/panels/dragged_tensor.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/panels/exchange/steps_part.h"
#include "app/panels/slice_field.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

using core::wire::CopyPolicy;

constexpr std::array kPolicies{std::pair{CopyPolicy::if_needed, "copy if needed"}, std::pair{CopyPolicy::always, "always copy"},
                               std::pair{CopyPolicy::never, "never copy"}};
constexpr std::array kStreams{std::pair{"", "library's own stream"}, std::pair{"None", "stream None"},
                              std::pair{"1", "1, legacy default"}, std::pair{"2", "2, per-thread default"},
                              std::pair{"-1", "-1, no synchronization"}};
constexpr const char* kTypedStream = "a stream's handle";
constexpr const char* kNoStepsOfSlice =
    "The steps are made with all of the tensor. Hand the slice over at once, or clear it for the steps.";

// A one-line text field; ImGui writes into a buffer of fixed size.
void draw_text_field(const FrameContext& context, const char* id, const char* hint, std::string& text) {
  std::array<char, 65> buffer{};
  text.copy(buffer.data(), buffer.size() - 1);
  ImGui::SetNextItemWidth(context.px(150));
  if (ImGui::InputTextWithHint(id, hint, buffer.data(), buffer.size())) text = buffer.data();
}

void draw_name_field(const FrameContext& context, const char* hint, std::string& text) {
  draw_text_field(context, "##name", hint, text);
  explain("The name of the result in the console. Left empty, one is made from the tensor's.");
}

// The library's own message, the known reason for it, and what helps.
// source: the expression that was handed over.
void draw_refusal(const FrameContext& context, const core::wire::HandedOver& done, std::string_view library,
                  std::string_view source) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_wrapped_text(done.error_type + ": " + done.error, context.theme.bad);
  ImGui::PopFont();
  const RefusalAdvice advice = advice_on(library, done.error_type, done.error, source);
  draw_wrapped_text(advice.reason.empty() ? "dlscope knows no reason for it beyond these words." : advice.reason,
                    advice.reason.empty() ? context.theme.dim : context.theme.text);
  if (!advice.way_out.empty()) draw_wrapped_text("What helps: " + advice.way_out, context.theme.accent);
}

// The Python expression of what was handed over under that name: the tensor or the chosen slice of it.
std::string source_of(const FrameContext& context, const ExchangeSubject& subject, const std::string& handed) {
  const std::string whole = subject.expression.empty() ? "x" : subject.expression;
  if (handed != subject.sliced) return whole;
  return core::slice_expression(whole, context.index->snapshot->shape(context.index->tensor(context.selected)),
                                context.slice.axes);
}

void draw_policy(const FrameContext& context, CopyPolicy& policy) {
  const auto* const chosen = std::ranges::find(kPolicies, policy, &std::pair<CopyPolicy, const char*>::first);
  ImGui::SetNextItemWidth(context.px(140));
  if (!ImGui::BeginCombo("##policy", chosen->second)) return;
  for (const auto& [each, title] : kPolicies) {
    if (ImGui::Selectable(title, each == policy)) policy = each;
  }
  ImGui::EndCombo();
}

// Returns why the chosen device is none for this; "": it is one.
std::string draw_devices(const FrameContext& context, const std::vector<DeviceRow>& rows, std::string& device) {
  const auto chosen = std::ranges::find(rows, device, &DeviceRow::device);
  const std::string why_not = chosen == rows.end() ? device + " is not here any more." : chosen->why_not;
  ImGui::SetNextItemWidth(context.px(130));
  if (!ImGui::BeginCombo("##device", chosen == rows.end() ? device.c_str() : chosen->title.c_str())) return why_not;
  for (const DeviceRow& row : rows) {
    ImGui::BeginDisabled(!row.why_not.empty());
    if (ImGui::Selectable(row.title.c_str(), row.device == device)) device = row.device;
    ImGui::EndDisabled();
    if (!row.why_not.empty()) explain(row.why_not);
  }
  ImGui::EndCombo();
  return why_not;
}

void draw_stream(const FrameContext& context, ExchangeState& state) {
  std::string& stream = state.hand.choice.stream;
  const auto* const chosen = std::ranges::find(kStreams, stream, &std::pair<const char*, const char*>::first);
  ImGui::SetNextItemWidth(context.px(150));
  if (ImGui::BeginCombo("##stream", state.hand.types_stream || chosen == kStreams.end() ? kTypedStream : chosen->second)) {
    for (const auto& [each, title] : kStreams) {
      if (!ImGui::Selectable(title, !state.hand.types_stream && stream == each)) continue;
      stream = each;
      state.hand.types_stream = false;
    }
    if (ImGui::Selectable(kTypedStream, state.hand.types_stream) && !state.hand.types_stream) {
      stream = "0";
      state.hand.types_stream = true;
    }
    ImGui::EndCombo();
  }
  explain("The stream that is named to the producer, which makes it wait for its own work. Left to the library, its from_dlpack "
          "names one.");
  if (!state.hand.types_stream) return;
  same_line_for(context.px(150));
  draw_text_field(context, "##handle", "address of the handle", stream);
  if (stream.empty()) stream = "0";
}

void draw_library_choice(const FrameContext& context, const ExchangeState& state, const char* id, const char* none,
                         std::string& library) {
  ImGui::SetNextItemWidth(context.px(150));
  if (!ImGui::BeginCombo(id, library.empty() ? none : library.c_str())) return;
  if (none[0] != '\0' && ImGui::Selectable(none, library.empty())) library.clear();
  for (const ExchangeLibrary& each : state.hand.libraries) {
    if (ImGui::Selectable(each.name.c_str(), each.name == library)) library = each.name;
    ImGui::SameLine();
    draw_text(library_state_text(each), context.theme.dim);
  }
  ImGui::EndCombo();
}

// Python's answer about the selected tensor and the present choice; null: it is about another one, or still to come.
const ExchangePlan* plan_of_this(const FrameContext& context, const HandOverState& state) {
  return state.plan && state.plan_of == question_about_calls(context, state.choice, false) ? &*state.plan : nullptr;
}

// Whether the last hand-over was of the selected tensor, all of it or the slice that is chosen.
bool is_of_this(const HandOverState& state, const ExchangeSubject& subject) {
  const std::string& handed = state.result.subject;
  return handed.empty() || handed == subject.sliced || handed == subject.name;
}

// Returns why this cannot be handed over; "": it can.
std::string draw_choice(const FrameContext& context, ExchangeState& state) {
  draw_library_choice(context, state, "##library", "", state.hand.choice.library);
  explain("Only what is imported here, or what an import would find, is offered.");
  same_line_for(context.px(140));
  draw_policy(context, state.hand.choice.copy);
  same_line_for(context.px(130));
  const auto library = std::ranges::find(state.hand.libraries, state.hand.choice.library, &ExchangeLibrary::name);
  const std::string why_not =
      draw_devices(context,
                   hand_over_devices(*context.index->snapshot, library == state.hand.libraries.end() ? nullptr : &*library,
                                     !state.hand.choice.stream.empty()),
                   state.hand.choice.device);
  same_line_for(context.px(150));
  draw_stream(context, state);
  same_line_for(context.px(150));
  draw_name_field(context, "name of the result", state.hand.name);
  const ExchangePlan* const plan = plan_of_this(context, state.hand);
  return !why_not.empty() || plan == nullptr ? why_not : plan->refused;
}

// The libraries by name: a click chooses one; dropping a tensor on one hands it over at once.
void draw_library_targets(const FrameContext& context, ExchangeState& state, Commands& commands) {
  if (state.hand.libraries.empty()) return;
  draw_text("Drop a row of the table on", context.theme.dim);
  for (const ExchangeLibrary& library : state.hand.libraries) {
    same_line_for(button_width(library.name.c_str()));
    if (small_button(LineText("{}###onto {}", library.name, library.name).c_str())) state.hand.choice.library = library.name;
    explain([&] {
      return fmt::format("{}, {}. A tensor that is dropped here is handed to it at once, all of it.", library.function,
                         library_state_text(library));
    });
    const auto dropped = dropped_tensor(context);
    if (!dropped || why_not_now(context, state) != nullptr) continue;
    state.hand.choice.library = library.name;
    forget_handed(state);
    commands.push(command::SelectTensor{*dropped});
    commands.push(
        command::HandTo{{{context.index->snapshot->info.revision, *dropped}, library.name, "", CopyPolicy::if_needed, ""}});
  }
}

void draw_plan(const FrameContext& context, ExchangeState& state) {
  HandOverState& hand = state.hand;
  if (hand.plan_of == question_about_calls(context, hand.choice, false) && !hand.plan_problem.empty())
    return draw_wrapped_text(hand.plan_problem, context.theme.warn);
  const ExchangePlan* const plan = plan_of_this(context, hand);
  if (plan == nullptr) {
    if (why_not_acted(context.moment, context.host) == nullptr) draw_text("Asking Python …", context.theme.dim);
    return;
  }
  if (!plan->calls.empty()) {
    draw_wrapped_text(plan->known
                          ? "The calls it takes, rehearsed with an array of 8 bytes of host memory, not with the tensor itself"
                          : "The calls it takes",
                      context.theme.dim);
    draw_calls(context, plan->calls, false);
  }
  if (!plan->refused.empty()) return;
  if (!plan->why_not.empty()) return draw_wrapped_text(plan->why_not, context.theme.dim);
  if (plan->known) return;
  ImGui::BeginDisabled(why_not_now(context, state) != nullptr);
  if (small_button("Show the calls it makes with 8 bytes")) hand.rehearse = true;
  ImGui::EndDisabled();
  explain("Hands an array of 8 bytes of host memory to the library, in the same way, and lists what it calls.");
}

// Whether a library's own slice is a view of the same memory is known when the hand-over was made: its line says so then.
void draw_plan_line(const FrameContext& context, const ExchangeSubject& subject, const std::string& line) {
  if (context.slice.any()) return draw_text("The Python line is shown with the result.", context.theme.dim);
  draw_line(context, subject.expression.empty() ? std::string() : line);
}

// The verdict on the last hand-over, which was of this tensor, and what it was found on.
void draw_result(const FrameContext& context, HandOverState& state, const ExchangeSubject& subject, const std::string& raises) {
  const core::wire::HandedOver& done = *state.result.done;
  const std::string& handed = state.result.subject;
  const float top = ImGui::GetCursorPosY();
  ImGui::Separator();
  const VerdictAge age = draw_age(context, state.result.code_began);
  if (context.slice.any() && handed == subject.name) draw_text(LineText("Of all of {}", subject.name), context.theme.dim);
  const std::string& library = state.made_with.library;
  if (!library.empty() && state.made_with != state.choice)
    draw_wrapped_text(LineText("Handed to {}, not with what is chosen above", library), context.theme.dim);
  draw_verdict(context, done.verdict, verdict_meaning(done), age);
  if (const std::string warning = write_warning(done.step); !warning.empty()) draw_wrapped_text(warning, context.theme.warn);
  if (!done.name.empty()) draw_text(LineText("{} is now a {}", done.name, done.type), context.theme.text);
  if (done.verdict == "REFUSED") draw_refusal(context, done, subject.library, source_of(context, subject, handed));
  if (std::exchange(state.show_result, false)) scroll_into_view(top);
  draw_evidence(context, evidence_of(done));
  draw_text("What was called", context.theme.dim);
  draw_calls(context, done.calls, true);
  ImGui::PushID("done");
  draw_line(context, done.line, raises);
  ImGui::PopID();
}

// What came of the last copy: below the tensor that was copied, and below the copy.
void draw_copied(const FrameContext& context, const ActResult<core::wire::Copied>& result, const ExchangeSubject& subject) {
  const bool of_source = result.subject == subject.sliced;
  if (of_source && !result.problem.empty()) draw_wrapped_text(result.problem, context.theme.bad);
  if (!result.done || (!of_source && result.done->name != subject.name)) {
    return draw_wrapped_text(
        "Free memory is checked before, and the copy is listed in the ledger. Afterwards every element is compared where that can be "
        "done.",
        context.theme.dim);
  }
  ImGui::Separator();
  const bool outdated = draw_age(context, result.code_began) == VerdictAge::outdated;
  draw_text(LineText("{} is now a {}", result.done->name, result.done->type), outdated ? context.theme.dim : context.theme.good);
  draw_wrapped_text(copied_text(*result.done), context.theme.text);
  draw_line(context, result.done->line);
}

// What is chosen for the hand-over, and the buttons. Returns why it cannot be asked for; "": it can.
std::string draw_hand_over_choice(const FrameContext& context, ExchangeState& state, const ExchangeSubject& subject,
                                  Commands& commands) {
  HandOverState& hand = state.hand;
  draw_slice_field(context, commands);
  std::string refused = draw_choice(context, state);
  if (!refused.empty()) draw_wrapped_text(refused, context.theme.warn);
  const ExchangePlan* const plan = plan_of_this(context, hand);
  if (refused.empty() && plan != nullptr && !plan->stream_note.empty())
    draw_wrapped_text(plan->stream_note, context.theme.text);
  if (refused.empty()) refused = context.slice.problem;
  const bool pressed = draw_go(context, state, context.slice.any() ? "Hand this slice over" : "Hand it over", refused);
  draw_begin_steps(context, state, subject, refused.empty() && context.slice.any() ? kNoStepsOfSlice : refused, commands);
  draw_library_targets(context, state, commands);
  if (!pressed) return refused;
  commands.push(command::HandTo{{subject.ref, hand.choice.library, hand.choice.device, hand.choice.copy, hand.name,
                                 hand.choice.stream, context.slice.axes}});
  forget_handed(state);
  hand.steps = {};
  return refused;
}

}  // namespace

void draw_lost_hand_over(const FrameContext& context, std::optional<LostHandOver>& lost) {
  if (!lost) return;
  draw_text(LineText("{} handed to {}", lost->subject, lost->library), context.theme.text);
  draw_verdict(context, lost->how.verdict, verdict_meaning(lost->how.verdict));
  draw_evidence(context, lost->how.evidence);
  const bool dismissed = small_button("Dismiss###dismiss lost");
  ImGui::Separator();
  if (dismissed) lost.reset();
}

void draw_hand_over_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  if (state.hand.steps.made) return draw_steps(context, state, commands);
  const auto subject = subject_of(context);
  if (!subject) {
    draw_wrapped_text(
        "Select a tensor: this hands it to another library, shows each call on the way and says what happened to the memory.",
        context.theme.dim);
    return draw_library_targets(context, state, commands);
  }
  draw_subject(context, *subject);
  if (state.hand.libraries.empty() && !state.hand.result.done) {
    if (!state.hand.no_libraries.empty()) return draw_wrapped_text(state.hand.no_libraries, context.theme.dim);
    if (why_not_acted(context.moment, context.host) == nullptr)
      draw_text("Asking Python which libraries there are …", context.theme.dim);
    return;
  }
  const std::string refused = draw_hand_over_choice(context, state, *subject, commands);
  HandOverState& hand = state.hand;
  if (!hand.steps.ended.empty() && (hand.steps.tensor.empty() || hand.steps.tensor == subject->name))
    draw_wrapped_text("Step by step: " + hand.steps.ended, context.theme.warn);
  const bool of_this = is_of_this(hand, *subject), is_done = of_this && hand.result.done;
  const std::string raises = is_done ? line_raises_text(*hand.result.done) : std::string();
  const ExchangePlan* const plan = plan_of_this(context, hand);
  // A line that was refused is not offered above the refusal as if it worked.
  if (plan != nullptr && refused.empty() && (raises.empty() || !is_line_of(*hand.result.done, plan->line)))
    draw_plan_line(context, *subject, plan->line);
  if (of_this && !hand.result.problem.empty()) {
    const float top = ImGui::GetCursorPosY();
    draw_wrapped_text(hand.result.problem, context.theme.bad);
    if (std::exchange(hand.show_result, false)) scroll_into_view(top);
  }
  if (is_done) return draw_result(context, hand, *subject, raises);
  draw_plan(context, state);
}

void draw_copy_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject) {
    draw_wrapped_text("Select a tensor: this copies it into memory of its own, converts it, or copies it for another library.",
                      context.theme.dim);
    return;
  }
  draw_subject(context, *subject);
  draw_slice_field(context, commands);
  core::wire::CopyTensor& copy = state.copying.choice;
  ImGui::SetNextItemWidth(context.px(150));
  if (ImGui::BeginCombo("##dtype", copy.dtype.empty() ? "the same dtype" : copy.dtype.c_str())) {
    for (const std::string& dtype : convertible_dtypes()) {
      if (ImGui::Selectable(dtype.empty() ? "the same dtype" : dtype.c_str(), dtype == copy.dtype)) copy.dtype = dtype;
    }
    ImGui::EndCombo();
  }
  explain("Floats round to nearest, ties to even; integers saturate; NaN becomes 0 in an integer.");
  same_line_for(context.px(150));
  draw_library_choice(context, state, "##for", "as dlscope.Tensor", copy.library);
  same_line_for(context.px(130));
  const auto library = std::ranges::find(state.hand.libraries, copy.library, &ExchangeLibrary::name);
  std::string refused = draw_devices(
      context, copy_devices(*context.index->snapshot, library == state.hand.libraries.end() ? nullptr : &*library), copy.device);
  same_line_for(context.px(170));
  ImGui::Checkbox("keep the order of axes", &copy.keep_order);
  explain("Off: the copy lies in C order. On: its axes lie in the order of the source's strides, without gaps.");
  same_line_for(context.px(150));
  draw_name_field(context, "name of the copy", copy.name);
  if (!refused.empty()) draw_wrapped_text(refused, context.theme.warn);
  if (refused.empty()) refused = context.slice.problem;
  if (draw_go(context, state, context.slice.any() ? "Copy this slice" : "Make the copy", refused)) {
    core::wire::CopyTensor work = copy;
    work.tensor = subject->ref;
    work.slice = context.slice.axes;
    commands.push(command::CopyTensor{std::move(work)});
    state.copying.result = {};
  }
  draw_copied(context, state.copying.result, *subject);
}

}  // namespace dlscope::app
