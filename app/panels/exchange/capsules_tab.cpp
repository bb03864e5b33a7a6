#include "app/panels/exchange/capsules_tab.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/models/debug/names_frame.h"
#include "app/models/host/act_refusal.h"
#include "app/models/text/element_description.h"
#include "app/panels/exchange/capsule_log_rows.h"
#include "app/panels/exchange/capsule_question.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/panels/exchange/exchange_tabs.h"
#include "app/widgets/explained_area.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/inventory/python_name.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxDrawn = 12;

bool can_answer(const FrameContext& context) {
  return context.host.python_rests();
}

// Asks once for each snapshot: code that changed a capsule ran before it.
void ask(const FrameContext& context, ExchangeState& state, Commands& commands) {
  static constexpr const char* kAsker = "capsules";
  CapsulesState& capsules = state.capsules;
  if (const Reply* const reply = context.answers.reply(kAsker);
      reply != nullptr && capsules.ticket != 0 && reply->ticket == capsules.ticket) {
    capsules.ticket = 0;
    auto all = read_capsules(reply->text);
    capsules.problem = !reply->error.empty() ? reply->error : all ? std::string() : all.error().message;
    if (all && reply->error.empty()) {
      capsules.all = std::move(*all);
      capsules.alive = read_capsules_alive(reply->text);
    }
    settle_prediction(context.host, capsules, state.predictions);
    capsules.log = capsule_log(capsules.all, capsules.filter);
  }
  if (capsules.ticket != 0 || context.answers.closed() || !can_answer(context) || capsules.asked_for == context.generation)
    return;
  capsules.asked_for = context.generation;
  capsules.ticket = ++state.last_ticket;
  commands.push(command::AskPython{Question{kAsker, capsules.ticket, "capsules", "{}", true}});
}

// Why a line with the tensor's name is not run; "": it can be. sayable: the name is a Python expression.
std::string why_not_run(const FrameContext& context, bool sayable) {
  if (!sayable) return kNoExpression;
  if (const char* const why_not = why_not_acted(context.moment, context.host)) return why_not;
  const auto frames = other_frame_chosen(context.host.frames(), context.moment);
  return frames ? why_not_run_here(*frames) : std::string();
}

// why_not: "" when the line can be run.
void line_button(const char* label, const std::string& line, std::string_view meaning, std::string_view why_not,
                 const AskedStep& asked, Commands& commands) {
  ImGui::BeginDisabled(!why_not.empty());
  if (small_button(label)) run_or_ask(asked, line, commands);
  ImGui::EndDisabled();
  explain([&] { return !why_not.empty() ? fmt::format("{}\n{}", meaning, why_not) : fmt::format("{}\n{}", meaning, line); });
}

void draw_makers(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject) return draw_text("Select a tensor to make a capsule of it.", context.theme.dim);
  const bool sayable = !subject->expression.empty();
  const std::string why_not = why_not_run(context, sayable);
  draw_text(LineText("Of {}:", button_name(subject->name, "Of :")), context.theme.text);
  explain(subject->name);
  const std::string name = next_capsule_name(state.capsules.all);
  const AskedStep making{context, state, CapsuleStep::make, nullptr};
  same_line_for(button_width("Make a versioned capsule"));
  line_button("Make a versioned capsule", make_capsule_line(subject->expression, true, name),
              "Asks for a capsule as DLPack has it since 1.0: with its version and flags (read-only, copied).", why_not, making,
              commands);
  same_line_for(button_width("Make a legacy capsule"));
  line_button("Make a legacy capsule", make_capsule_line(subject->expression, false, name),
              "Asks for a capsule as DLPack had it before 1.0: it cannot say whether the memory may be written.", why_not, making,
              commands);
  const bool elsewhere = other_frame_chosen(context.host.frames(), context.moment).has_value();
  if (!sayable || elsewhere) draw_wrapped_text(why_not, context.theme.dim);
}

// Draws the stages of a capsule's life and the ways between them.
class LifeDrawing {
 public:
  LifeDrawing(const FrameContext& context, const CapsuleLife& capsule)
      : context_(context), capsule_(capsule), list_(ImGui::GetWindowDrawList()), from_(ImGui::GetCursorScreenPos()) {
    width_ = ImGui::GetContentRegionAvail().x;
    height_ = ImGui::GetTextLineHeight() * 1.5F;
    node_ = std::min((width_ - context.px(48)) / 3, ImGui::CalcTextSize("Dropped unused").x + context.px(16));
  }

  void draw() {
    for (const bool taken : {false, true}) {  // the ones taken are drawn on top
      way(CapsulePlace::waiting, CapsulePlace::consumed, taken, "A consumer takes the struct: the capsule is renamed used_...");
      way(CapsulePlace::waiting, CapsulePlace::dropped, taken,
          "The capsule is freed, and no consumer took it: its destructor runs.");
      way(CapsulePlace::consumed, CapsulePlace::given_back, taken, "The consumer lets go: it calls the deleter.");
      way(CapsulePlace::dropped, CapsulePlace::given_back, taken, "The destructor calls the deleter.");
    }
    for (std::size_t i = 0; i < kCapsulePlaces; ++i) node(static_cast<CapsulePlace>(i));
    ImGui::SetCursorScreenPos(from_);
    ImGui::Dummy(ImVec2(width_, height_ * 3));
  }

 private:
  [[nodiscard]] bool reached(CapsulePlace place) const { return capsule_.reached[static_cast<std::size_t>(place)]; }
  [[nodiscard]] ImVec2 corner(CapsulePlace place) const {
    const float step = (width_ - node_) / 2;
    const int column = place == CapsulePlace::waiting ? 0 : place == CapsulePlace::given_back ? 2 : 1;
    const float row = place == CapsulePlace::consumed ? 0.0F : place == CapsulePlace::dropped ? 2.0F : 1.0F;
    return {from_.x + step * static_cast<float>(column), from_.y + row * height_};
  }

  // Draws a way if it was taken (or not taken, by `taken`).
  void way(CapsulePlace a, CapsulePlace b, bool taken, const char* meaning) {
    if (taken != (reached(a) && reached(b))) return;
    const ImU32 colour = ImGui::GetColorU32(taken ? context_.theme.accent : context_.theme.border);
    const ImVec2 begin(corner(a).x + node_, corner(a).y + height_ / 2), end(corner(b).x, corner(b).y + height_ / 2);
    const float middle = (begin.x + end.x) / 2, head = context_.px(5), thick = context_.px(taken ? 2 : 1);
    list_->AddLine(begin, ImVec2(middle, begin.y), colour, thick);
    list_->AddLine(ImVec2(middle, begin.y), ImVec2(middle, end.y), colour, thick);
    list_->AddLine(ImVec2(middle, end.y), ImVec2(end.x - head, end.y), colour, thick);
    list_->AddTriangleFilled(ImVec2(end.x - head, end.y - head), ImVec2(end.x, end.y), ImVec2(end.x - head, end.y + head),
                             colour);
    explained_area(ImVec2(middle - context_.px(4), std::min(begin.y, end.y)),
                   ImVec2(end.x, std::max(begin.y, end.y) + context_.px(4)), static_cast<int>(a) * 8 + static_cast<int>(b),
                   meaning);
  }

  void node(CapsulePlace place) {
    const bool here = capsule_.at == static_cast<int>(place);
    const ImVec2 begin = corner(place), end(begin.x + node_, begin.y + height_);
    const Tone tone = capsule_tone(capsule_);
    const ImU32 fill = ImGui::GetColorU32(here ? tone == Tone::plain ? context_.theme.accent : tone_colour(context_.theme, tone)
                                               : context_.theme.panel);
    list_->AddRectFilled(begin, end, fill, context_.px(4));
    list_->AddRect(begin, end, ImGui::GetColorU32(reached(place) ? context_.theme.accent : context_.theme.border), context_.px(4),
                   context_.px(reached(place) ? 2 : 1));
    const char* const title = capsule_place_title(place);
    const ImVec2 size = ImGui::CalcTextSize(title);
    list_->PushClipRect(begin, end, true);
    list_->AddText(ImVec2(std::max(begin.x + context_.px(4), (begin.x + end.x - size.x) / 2), (begin.y + end.y - size.y) / 2),
                   here ? text_on(fill) : ImGui::GetColorU32(reached(place) ? context_.theme.text : context_.theme.dim), title);
    list_->PopClipRect();
    explained_area(begin, end, 100 + static_cast<int>(place), title);
  }

  const FrameContext& context_;
  const CapsuleLife& capsule_;
  ImDrawList* list_;
  ImVec2 from_;
  float width_ = 0, height_ = 0, node_ = 0;
};

// Why there is no consumer to drop by the name that "Consume it" binds; "": there is one.
std::string why_no_consumer(const FrameContext& context, const CapsuleLife& capsule, std::string_view name) {
  if (capsule.state != "consumed") return "No consumer has it.";
  const std::string consumer = consumer_name(name);
  if (context.index != nullptr && context.index->find(consumer)) return {};
  return fmt::format(
      "There is no {}: this capsule was consumed by another line, or that name is gone. Delete the tensor that took it "
      "by its own name.",
      consumer);
}

void draw_capsule(const FrameContext& context, ExchangeState& state, const CapsuleLife& capsule, Commands& commands) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_text(capsule_title(capsule), context.theme.text);
  ImGui::PopFont();
  const std::string_view kind = capsule.versioned ? "versioned" : "legacy";
  draw_wrapped_text(LineText("{}, of {}{}{}", kind, capsule.tensor, capsule.name.empty() ? "" : ", now named ", capsule.name),
                    context.theme.dim);
  LifeDrawing(context, capsule).draw();
  draw_wrapped_text(capsule_state_text(capsule), tone_colour(context.theme, capsule_tone(capsule)));
  const bool is_over = capsule.state == "returned" || capsule.state == "dropped";
  const std::string refusal = is_over ? std::string() : capsule_refusal_text(capsule);
  if (!refusal.empty()) draw_wrapped_text(refusal, taken_after_refusal(capsule) ? context.theme.dim : context.theme.bad);
  if (capsule.held_by.empty()) return;
  const auto sayable = std::ranges::find_if(capsule.held_by, core::is_python_expression);
  const std::string& name = sayable != capsule.held_by.end() ? *sayable : capsule.held_by.front();
  const std::string why_not = why_not_run(context, sayable != capsule.held_by.end());
  const bool waiting = capsule.state == "waiting";
  line_button(waiting ? "Consume it" : "Consume it again", consume_capsule_line(name),
              "Takes the struct, as any library's from_dlpack does. A capsule can be taken once.", why_not,
              {context, state, waiting ? CapsuleStep::consume : CapsuleStep::consume_again, &capsule}, commands);
  same_line_for(button_width("Drop the capsule"));
  line_button("Drop the capsule", drop_capsule_line(name), "Deletes the name. Unused, its destructor gives the memory back.",
              why_not, {context, state, drop_step(capsule), &capsule}, commands);
  same_line_for(button_width("Drop the consumer"));
  line_button("Drop the consumer", drop_consumer_line(name),
              "Deletes the tensor that took it here: the last one to let go calls the deleter.",
              !why_not.empty() ? why_not : why_no_consumer(context, capsule, name),
              {context, state, CapsuleStep::drop_consumer, &capsule}, commands);
}

void draw_log(const FrameContext& context, CapsulesState& capsules) {
  draw_text("What happened", context.theme.dim);
  ImGui::SameLine();
  std::array<char, 128> buffer{};
  capsules.filter.copy(buffer.data(), buffer.size() - 1);
  ImGui::SetNextItemWidth(context.px(220));
  if (ImGui::InputTextWithHint("##filter", "Filter: capsule, event, thread", buffer.data(), buffer.size())) {
    capsules.filter = buffer.data();
    capsules.log = capsule_log(capsules.all, capsules.filter);
  }
  const std::vector<CapsuleLogRow>& rows = capsules.log;
  same_line_for(button_width("Copy as text"));
  if (small_button("Copy as text")) {
    std::string text = "since the first was watched\tcapsule\tevent\tthread\n";
    for (const CapsuleLogRow& row : rows) text += row.line() + '\n';
    ImGui::SetClipboardText(text.c_str());
  }
  explain("The rows that are shown, with tabs between their columns.");
  draw_log_rows(context, rows);
}

}  // namespace

void draw_capsules_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  ask(context, state, commands);
  CapsulesState& capsules = state.capsules;
  if (capsules.problem.empty()) draw_makers(context, state, commands);
  draw_prediction(context, state, commands);
  if (!capsules.problem.empty()) draw_wrapped_text(capsules.problem, context.theme.warn);
  if (capsules.all.empty())
    return draw_wrapped_text(
        "A capsule is what x.__dlpack__() gives: it carries a tensor from one library to another, and can be taken once. What "
        "happens to each watched capsule is listed here: those made by the buttons, those of hand-overs made in this view, those "
        "that a dlscope.Tensor hands out, and those the script gives to dlscope.watch_capsule(capsule).",
        context.theme.dim);
  if (!can_answer(context) || context.moment.since == Since::running || context.moment.since == Since::ran)
    draw_wrapped_text("Code is running or has run since: this is what Python said before.", context.theme.warn);
  draw_wrapped_text(capsules_alive_text(capsules.alive), context.theme.text);
  explain("Those that wait for a consumer and those whose consumer holds the memory, of all that are watched.");
  const int columns = ImGui::GetContentRegionAvail().x > context.px(720) && capsules.all.size() > 1 ? 2 : 1;
  if (ImGui::BeginTable("capsules", columns,
                        ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_PadOuterX)) {
    const auto last = capsules.all.rbegin() + static_cast<std::ptrdiff_t>(std::min(capsules.all.size(), kMaxDrawn));
    for (auto capsule = capsules.all.rbegin(); capsule != last; ++capsule) {  // newest first
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(capsule->id));
      draw_capsule(context, state, *capsule, commands);
      ImGui::Spacing();
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (capsules.all.size() > kMaxDrawn)
    draw_text(LineText("{} before these are in the log only", capsules.all.size() - kMaxDrawn), context.theme.dim);
  ImGui::Separator();
  draw_log(context, capsules);
}

}  // namespace dlscope::app
