#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

#include "app/models/exchange/life_answer.h"
#include "app/models/exchange/referrers.h"
#include "app/models/text/fitted_text.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/panels/exchange/exchange_tabs.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// Asks once per tensor and snapshot. False: `life` is not the answer to the present question yet.
bool ask_about_life(const FrameContext& context, ExchangeState& state, Commands& commands) {
  static constexpr const char* kAsker = "life";
  if (const Reply* const reply = context.answers.reply(kAsker);
      reply != nullptr && state.life.ticket != 0 && reply->ticket == state.life.ticket) {
    state.life.ticket = 0;
    auto life = read_life(reply->text);
    state.life.problem = !reply->error.empty() ? reply->error : life ? std::string() : life.error().message;
    if (life && reply->error.empty()) state.life.answer = std::move(*life);
    state.life.rows = {};
  }
  const LifeQuestion question{context.generation, context.selected};
  if (state.life.asked == question) return state.life.ticket == 0;
  if (state.life.ticket != 0 || context.answers.closed() || !context.host.python_rests()) return false;
  state.life.answer.reset();
  state.life.problem.clear();
  state.life.asked = question;
  state.life.ticket = ++state.last_ticket;
  commands.push(command::AskPython{
      Question{kAsker, state.life.ticket, "life", life_question(*context.index->snapshot, context.selected), true}});
  return false;
}

void take_referrers(const FrameContext& context, ReferrersState& state) {
  const Reply* const reply = context.answers.reply("referrers");
  if (reply == nullptr || state.ticket == 0 || reply->ticket != state.ticket) return;
  state.ticket = 0;
  auto found = read_referrers(reply->text);
  state.problem = !reply->error.empty() ? reply->error : found ? std::string() : found.error().message;
  if (found && reply->error.empty()) state.found = std::move(*found);
}

void draw_referred_to(const FrameContext& context, const std::string& words, const std::vector<std::string>& by) {
  if (!words.empty()) draw_wrapped_text(words, context.theme.dim);
  for (const std::string& what : by) draw_wrapped_text("  " + what, context.theme.text);
}

// Only on request: Python looks through all of its objects for it.
void draw_referrers(const FrameContext& context, ExchangeState& state, const ExchangeSubject& subject, Commands& commands) {
  ReferrersState& referrers = state.life.referrers;
  take_referrers(context, referrers);
  if (referrers.of != state.life.asked) referrers = {.of = state.life.asked};
  ImGui::SameLine();
  const char* const why_not = why_not_now(context, state);
  ImGui::BeginDisabled(why_not != nullptr || referrers.ticket != 0);
  if (small_button("Who refers to it")) {
    referrers.ticket = ++state.last_ticket;
    commands.push(
        command::AskPython{Question{"referrers", referrers.ticket, "referrers", referrers_question(subject.name), true}});
  }
  ImGui::EndDisabled();
  explain(why_not != nullptr ? std::string_view(why_not)
                             : "Looks through every object that Python's garbage collector knows for those that refer to "
                               "this tensor, and to the owner of its memory. In a large program that takes seconds. Nothing of the script's runs.");
  if (referrers.ticket != 0) draw_wrapped_text("Asking Python …", context.theme.dim);
  if (!referrers.problem.empty()) draw_wrapped_text(referrers.problem, context.theme.warn);
  if (!referrers.found) return;
  draw_referred_to(context, view_referrers_text(*referrers.found, subject.name), referrers.found->of_view);
  draw_referred_to(context, owner_referrers_text(*referrers.found), referrers.found->what);
  draw_wrapped_text(referrers_remark(*referrers.found), context.theme.dim);
}

void draw_holder(const FrameContext& context, const LifeRow& row, Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  group_swatch(context.theme, row.colour);
  ImGui::SameLine();
  const CutText name = fit_text(row.name, ImGui::GetContentRegionAvail().x, text_width);
  if (row.tensor == core::kNone32 || row.tensor == context.selected) {
    draw_text(name, context.theme.text);
  } else if (ImGui::TextLink(name.str().c_str())) {
    commands.push(command::SelectTensor{row.tensor});
  }
  explain(row.name);
  ImGui::TableNextColumn();
  draw_text(fit_text(row.type, ImGui::GetContentRegionAvail().x, text_width), context.theme.dim);
  explain(row.type);
  ImGui::TableNextColumn();
  draw_wrapped_text(row.how, row.keeps ? context.theme.text : context.theme.unknown);
}

// Along a chain of hand-overs, because the names of a script come in its order.
void draw_holders(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const std::vector<LifeRow>& rows =
      state.life.rows.get(*state.life.asked, [&](auto& all) { all = life_rows(*state.life.answer, *context.index); });
  constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (rows.empty() || !ImGui::BeginTable("holders", 3, kFlags)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_None, 2);
  ImGui::TableSetupColumn("type", ImGuiTableColumnFlags_None, 2);
  ImGui::TableSetupColumn("how", ImGuiTableColumnFlags_None, 5);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    draw_holder(context, rows[i], commands);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

void draw_life_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject)
    return draw_wrapped_text("Select a tensor: this says whose memory it is, and what has to go before that memory is freed.",
                             context.theme.dim);
  const bool answered = ask_about_life(context, state, commands);
  draw_subject(context, *subject);
  if (!answered)
    return draw_wrapped_text(context.host.busy() ? "Python is asked when what it does now is over, or stands at a stop."
                                                : "Asking Python …",
                             context.theme.dim);
  if (context.moment.since != Since::nothing)
    draw_wrapped_text("Code is running or has run since: this is what Python said before.", context.theme.warn);
  if (!state.life.answer) return draw_wrapped_text(state.life.problem, context.theme.warn);
  const LifeAnswer& life = *state.life.answer;
  if (!life.found)
    return draw_wrapped_text("It no longer exists. Scan again (Run menu) to see what there is now.", context.theme.warn);
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  const core::Snapshot& snapshot = *context.index->snapshot;
  const std::uint64_t used = used_bytes_of_memory(snapshot, tensor);
  if (const std::string unused = keeps_alive_text(life, used); !unused.empty()) draw_wrapped_text(unused, context.theme.warn);
  std::vector<EvidenceLine> lines;
  lines.emplace_back("memory of", memory_text(life));
  std::string chain;
  for (const std::string& link : life.chain) chain += (chain.empty() ? "" : "  →  ") + link;
  lines.emplace_back("the way there", chain);
  if (context.held.contains(context.selected)) lines.emplace_back("lease", "dlscope holds it, as you asked: Release lets it go");
  draw_evidence(context, lines);
  draw_wrapped_text(holders_text(life), context.theme.dim);
  draw_holders(context, state, commands);
  if (const std::string unnamed = unnamed_text(life); !unnamed.empty()) draw_wrapped_text(unnamed, context.theme.dim);
  if (const std::string unsaid = unsaid_text(life); !unsaid.empty()) draw_wrapped_text(unsaid, context.theme.text);
  if (small_button("Ask again")) {
    state.life.asked.reset();
    state.life.referrers = {};
  }
  draw_referrers(context, state, *subject, commands);
}

}  // namespace dlscope::app
