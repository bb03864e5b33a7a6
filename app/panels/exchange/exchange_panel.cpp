#include "app/panels/exchange/exchange_panel.h"

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/models/exchange/loading_line.h"
#include "app/models/host/act_refusal.h"
#include "app/panels/exchange/capsules_tab.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/panels/exchange/exchange_tabs.h"
#include "app/panels/exchange/steps_part.h"
#include "app/panels/exchange/streams_tab.h"
#include "app/widgets/marks.h"
#include "core/inventory/python_name.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "exchange";
constexpr int kSettlingFrames = 8;
constexpr std::pair<ActionId, ExchangeTab> kTabActions[] = {
    {ActionId::exchange_selected, ExchangeTab::hand_over}, {ActionId::convert_selected, ExchangeTab::copy},
    {ActionId::export_proof, ExchangeTab::prove},          {ActionId::life_selected, ExchangeTab::life},
    {ActionId::exchange_capsules, ExchangeTab::capsules},  {ActionId::exchange_ledger, ExchangeTab::ledger},
    {ActionId::exchange_streams, ExchangeTab::streams}};

// Takes the newest answer if it is the awaited one.
void take_answer(const FrameContext& context, HandOverState& state) {
  const Reply* const reply = context.answers.reply(kAsker);
  if (reply == nullptr || state.ticket == 0 || reply->ticket != state.ticket) return;
  state.ticket = 0;
  if (!state.planned.empty()) {
    auto plan = read_plan(reply->text);
    state.plan_of = state.planned;
    state.plan_problem = !reply->error.empty() ? reply->error : plan ? std::string() : plan.error().message;
    state.plan = plan && reply->error.empty() ? std::optional(std::move(*plan)) : std::nullopt;
    return;
  }
  auto libraries = read_libraries(reply->text);
  state.no_libraries = !reply->error.empty() ? reply->error : libraries ? std::string() : libraries.error().message;
  if (libraries && reply->error.empty()) state.libraries = std::move(*libraries);
  const auto chosen = std::ranges::find(state.libraries, state.choice.library, &ExchangeLibrary::name);
  if (chosen == state.libraries.end())
    state.choice.library = state.libraries.empty() ? std::string() : state.libraries.front().name;
}

void ask(ExchangeState& state, Commands& commands, std::string kind, std::string text) {
  state.hand.ticket = ++state.last_ticket;
  commands.push(command::AskPython{Question{kAsker, state.hand.ticket, std::move(kind), std::move(text), true}});
}

// Asks for the libraries once per snapshot, then for the line of the present choice, and for its calls where the user wants them;
// one question at a time.
void ask_what_is_missing(const FrameContext& context, ExchangeState& state, Commands& commands) {
  HandOverState& hand = state.hand;
  const bool can_answer = why_not_acted(context.moment, context.host) == nullptr && context.host.python_rests();
  if (hand.ticket != 0 || context.answers.closed() || !can_answer) return;
  if (hand.libraries_of != context.generation) {
    hand.libraries_of = context.generation;
    hand.planned.clear();
    return ask(state, commands, "exchange_libraries", "{}");
  }
  const std::string question = question_about_calls(context, hand.choice, false);
  if (question.empty()) return;
  if (question != hand.planned) {
    hand.planned = question;
    hand.plan.reset();
    hand.rehearse = false;
    return ask(state, commands, "exchange_plan", question);
  }
  if (hand.rehearse) ask(state, commands, "exchange_plan", question_about_calls(context, hand.choice, true));
  hand.rehearse = false;
}

void draw_body(const FrameContext& context, ExchangeState& state, ExchangeTab tab, Commands& commands) {
  if (tab == ExchangeTab::hand_over) draw_hand_over_tab(context, state, commands);
  if (tab == ExchangeTab::copy) draw_copy_tab(context, state, commands);
  if (tab == ExchangeTab::prove) draw_prove_tab(context, state, commands);
  if (tab == ExchangeTab::life) draw_life_tab(context, state, commands);
  if (tab == ExchangeTab::capsules) draw_capsules_tab(context, state, commands);
  if (tab == ExchangeTab::ledger) draw_ledger_tab(context, state.ledger);
  if (tab == ExchangeTab::streams) draw_streams_tab(context, state, commands);
}

// Why a tab can show or do nothing now; null: it can.
const char* why_not_drawn(ExchangeTab tab, const Moment& moment) {
  if (tab == ExchangeTab::ledger || tab == ExchangeTab::streams) return nullptr;
  const bool says_what_is = tab == ExchangeTab::life || tab == ExchangeTab::capsules;
  if (says_what_is && (moment.since == Since::ended || moment.since == Since::crashed))
    return "The Python that knows has ended. Run the script again.";
  return why_not_asked(moment);
}

// Where a file's tensors are shown.
void draw_way_to_load(const FrameContext& context, ExchangeState& state) {
  const bool has_console = context.host.state() != HostState::absent;
  draw_wrapped_text(has_console ? kHowToLoad : kHowToLoadElsewhere, context.theme.text);
  const std::string& line = state.loading.get(context.generation, [&](std::string& out) { out = loading_line(context.file); });
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(line, line, "line");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  if (small_button("Copy line")) ImGui::SetClipboardText(line.c_str());
}

// Above the buttons of a tab whose Python is gone. While code runs only their tooltips say so, because a line would flicker.
void draw_why_not_acted(const FrameContext& context, ExchangeTab tab) {
  const bool acts = tab == ExchangeTab::hand_over || tab == ExchangeTab::copy || tab == ExchangeTab::prove;
  const bool gone = context.moment.since == Since::ended || context.moment.since == Since::crashed;
  if (acts && gone) draw_wrapped_text(why_not_acted(context.moment, context.host), context.theme.warn);
}

// Results of one Python must not be shown beside those of another.
void forget_other_python(const FrameContext& context, ExchangeState& state) {
  const std::uint64_t process = context.host.first_run_of_process();
  const bool another = state.process && *state.process != process;
  state.process = process;
  if (state.hand.steps.made && (another || context.moment.since == Since::ended || context.moment.since == Since::crashed)) {
    state.hand.steps = {};
    state.hand.steps.ended = "Its Python has ended, and what was held with it.";
  }
  if (!another && context.moment.since != Since::ended) return;
  state.capsules = {};
  state.life = {};
  state.hand.result = {};
  state.hand.plan.reset();
  state.hand.plan_of.clear();
  state.copying.result = {};
  state.proving.result = {};
  if (!state.streams.file.empty()) return;  // what a file holds is no Python's
  state.streams.view.reset();
  state.streams.problem.clear();
}

struct TabTitle {
  ExchangeTab tab;
  const char* title;
};
constexpr TabTitle kTabTitles[] = {{ExchangeTab::hand_over, "Hand over"}, {ExchangeTab::copy, "Copy"},
                                   {ExchangeTab::prove, "Prove"},         {ExchangeTab::life, "Life"},
                                   {ExchangeTab::capsules, "Capsules"},   {ExchangeTab::ledger, "Ledger"},
                                   {ExchangeTab::streams, "Streams"}};

// Not inside the tab's item: what a person has scrolled and unfolded in a tab is the same whether tabs are a bar or a list.
void draw_tab_body(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const ExchangeTab tab = state.tab;
  ImGui::PushID(static_cast<int>(tab));
  if (ImGui::BeginChild("body")) {
    if (tab == ExchangeTab::hand_over) draw_lost_hand_over(context, state.hand.lost);
    if (const char* const why_not = why_not_drawn(tab, context.moment)) {
      draw_wrapped_text(why_not, context.theme.dim);
      if (context.moment.of_file) draw_way_to_load(context, state);
    } else {
      draw_why_not_acted(context, tab);
      draw_body(context, state, tab, commands);
    }
  }
  ImGui::EndChild();
  ImGui::PopID();
}

// Whether all titles can be read beside each other.
bool titles_fit() {
  const ImGuiStyle& style = ImGui::GetStyle();
  float width = 0;
  for (const TabTitle& each : kTabTitles) width += text_width(each.title) + style.FramePadding.x * 2 + 1 + style.ItemInnerSpacing.x;
  return width <= ImGui::GetContentRegionAvail().x + style.ItemInnerSpacing.x;
}

void draw_tabs(const FrameContext& context, ExchangeState& state, Commands& commands) {
  // The bar keeps the tab that was chosen in it last, and brings another one to the front only with the next frame.
  if (std::exchange(state.tabs_as_list, false)) state.awaited = state.tab;
  if (state.bring_up) state.awaited = std::exchange(state.bring_up, std::nullopt);
  if (state.awaited) state.tab = *state.awaited;
  if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_DrawSelectedOverline)) return;
  for (const auto& [tab, title] : kTabTitles) {
    const bool awaited = state.awaited == tab;
    if (!ImGui::BeginTabItem(title, nullptr, awaited ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None)) continue;
    if (awaited) state.awaited.reset();
    if (!state.awaited) state.tab = tab;
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
  draw_tab_body(context, state, commands);
}

// In a narrow panel the tabs' titles would be cut to "Ha…", "Pro…", "Ca…": there they are a list.
void draw_tab_list(const FrameContext& context, ExchangeState& state, Commands& commands) {
  state.tabs_as_list = true;
  state.awaited.reset();
  if (state.bring_up) state.tab = *std::exchange(state.bring_up, std::nullopt);
  const auto shown = std::ranges::find(kTabTitles, state.tab, &TabTitle::tab);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 9);
  if (ImGui::BeginCombo("##tab", shown->title, ImGuiComboFlags_HeightLargest)) {
    for (const auto& [tab, title] : kTabTitles) {
      if (ImGui::Selectable(title, tab == state.tab)) state.tab = tab;
    }
    ImGui::EndCombo();
  }
  draw_tab_body(context, state, commands);
}

void bring_up(ExchangeState& state, ExchangeTab tab, bool& shown) {
  state.bring_up = tab;
  shown = true;
}

}  // namespace

std::optional<ExchangeSubject> subject_of(const FrameContext& context) {
  if (context.index == nullptr || why_not_asked(context.moment) != nullptr || context.selected >= context.index->size())
    return std::nullopt;
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  return ExchangeSubject{std::string(snapshot.name(tensor)),
                         core::slice_expression(snapshot.name(tensor), snapshot.shape(tensor), context.slice.axes),
                         std::string(core::expression_name(snapshot, tensor)),
                         std::string(snapshot.str(tensor.library)),
                         tensor.device,
                         {snapshot.info.revision, context.selected}};
}

std::string question_about_calls(const FrameContext& context, const ExchangeChoice& choice, bool rehearse) {
  const auto subject = subject_of(context);
  if (!subject || choice.library.empty()) return {};
  const std::string source = core::slice_expression(subject->expression.empty() ? subject->name : subject->expression,
                                                    context.index->snapshot->shape(context.index->tensor(context.selected)),
                                                    context.slice.axes);
  return plan_question(choice, source, subject->device, rehearse);
}

void draw_exchange_panel(const FrameContext& context, ExchangeState& state, Commands& commands) {
  take_answer(context, state.hand);
  forget_other_python(context, state);
  follow_steps(context, state, commands);
  if (state.bring_up) ImGui::SetNextWindowFocus();
  if (ImGui::Begin(title_of(ActionContext::exchange))) {
    // While the docking settles, panels behind another tab are drawn, too: ask nothing for these frames.
    if (ImGui::IsWindowAppearing()) state.frames_shown = 0;
    if (++state.frames_shown > kSettlingFrames) ask_what_is_missing(context, state, commands);
    if (titles_fit())
      draw_tabs(context, state, commands);
    else
      draw_tab_list(context, state, commands);
  }
  ImGui::End();
}

void draw_wanted_figure(const FrameContext& context, ExchangeState& state) {
  ProveState& proving = state.proving;
  const core::Proof* const proof = proving.proof();
  if (proof == nullptr) return;
  const bool outdated = age_of(context, proving.result.code_began) == VerdictAge::outdated;
  draw_proof_figure(context, *proof, {proving.caption, outdated ? kCodeHasRun : ""}, proving.figure);
}

void open_exchange_where_asked(const FrameContext& context, ExchangeState& state, bool& shown, Commands& commands) {
  if (state.bring_up) shown = true;  // a file was opened
  for (const auto& [action, tab] : kTabActions) {
    if (context.asked(action)) bring_up(state, tab, shown);
  }
  if (context.asked(ActionId::export_proof)) want_proof_figure(state.proving);
  const auto subject = subject_of(context);
  if (!subject) return;
  if (context.asked(ActionId::copy_selected)) {
    bring_up(state, ExchangeTab::copy, shown);
    if (!context.slice.problem.empty()) return;  // the tab says what is wrong with the slice
    commands.push(command::CopyTensor{
        {.tensor = subject->ref, .keep_order = false, .dtype = {}, .library = {}, .name = {}, .slice = context.slice.axes}});
  }
  if (context.asked(ActionId::prove_add)) {
    bring_up(state, ExchangeTab::prove, shown);
    state.proving.chain.push_back(subject->name);
  }
}

}  // namespace dlscope::app
