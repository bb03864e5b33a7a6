#include "app/panels/exchange/exchange_tabs.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <utility>

#include "app/models/exchange/exchange_text.h"
#include "app/models/host/act_refusal.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/panels/dragged_tensor.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/report/record_json.h"

namespace dlscope::app {
namespace {

using core::wire::CopyPolicy;
using core::wire::ExchangeCall;

constexpr std::array kPolicies{std::pair{CopyPolicy::if_needed, "copy if needed"}, std::pair{CopyPolicy::always, "always copy"},
                               std::pair{CopyPolicy::never, "never copy"}};
constexpr std::array kDevices{std::pair{"", "same device"}, std::pair{"cpu", "cpu"}, std::pair{"cuda:0", "cuda:0"}};

// A one-line text field; ImGui writes into a buffer of fixed size.
void draw_name_field(const FrameContext& context, const char* hint, std::string& text) {
  std::array<char, 65> buffer{};
  text.copy(buffer.data(), buffer.size() - 1);
  ImGui::SetNextItemWidth(context.px(150));
  if (ImGui::InputTextWithHint("##name", hint, buffer.data(), buffer.size())) text = buffer.data();
  explain("The name of the result in the console. Left empty, one is made from the tensor's.");
}

void draw_subject(const FrameContext& context, const ExchangeSubject& subject) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_text(subject.name, context.theme.text);
  ImGui::PopFont();
  ImGui::SameLine();
  draw_text(subject.library, context.theme.dim);
}

const char* why_not_now(const FrameContext& context, const ExchangeState& state) {
  if (const char* const why_not = why_not_acted(context.moment, context.host)) return why_not;
  return state.busy ? "The last request is still being worked on." : nullptr;
}

// why_not: a reason besides Python's state; "": none.
bool draw_go(const FrameContext& context, const ExchangeState& state, const char* label, std::string_view why_not = {}) {
  const char* const refusal = why_not_now(context, state);
  if (refusal != nullptr) why_not = refusal;
  ImGui::BeginDisabled(!why_not.empty());
  const bool pressed = ImGui::Button(label);
  ImGui::EndDisabled();
  if (!why_not.empty()) explain(why_not);
  return pressed;
}

// Why these tensors cannot be proved as a chain, as a sentence; "": they can.
std::string why_no_chain(const FrameContext& context, const ExchangeState& state) {
  if (state.chain.size() < 2) return "A chain has two tensors or more.";
  std::string missing;
  return chain_work(context, state, missing) ? std::string() : missing + " is no longer among the tensors.";
}

void draw_line(const FrameContext& context, const std::string& line) {
  if (line.empty()) return;
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(line, line, "line");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::SameLine();
  if (small_button("Copy line")) ImGui::SetClipboardText(line.c_str());
  explain("The Python line that does the same.");
}

void draw_calls(const FrameContext& context, const std::vector<ExchangeCall>& calls, bool with_answers) {
  int number = 0;
  ImGui::PushFont(context.fonts.mono, 0.0F);
  for (const ExchangeCall& call : calls) {
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

void draw_verdict(const FrameContext& context, std::string_view verdict, std::string_view meaning) {
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  draw_text(verdict, tone_colour(context.theme, verdict_tone(verdict)));
  ImGui::PopFont();
  draw_wrapped_text(meaning, context.theme.dim);
}

// A result describes the state when the act was done.
void draw_results_age(const FrameContext& context, const ExchangeState& state) {
  if (context.host.runs() > state.results_after_run)
    draw_wrapped_text("Code has run since: this is how it was before.", context.theme.dim);
}

// The library's own message, the known reason for it, and what helps.
void draw_refusal(const FrameContext& context, const core::wire::HandedOver& done, const std::string& producer) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_wrapped_text(done.error_type + ": " + done.error, context.theme.bad);
  ImGui::PopFont();
  const RefusalAdvice advice = advice_on(producer, done.error_type, done.error);
  if (!advice.reason.empty()) draw_wrapped_text(advice.reason, context.theme.text);
  if (!advice.way_out.empty()) draw_wrapped_text(std::string("What helps: ") + std::string(advice.way_out), context.theme.accent);
}

template <class Rows, class Value, class Same>
void draw_combo(const FrameContext& context, const char* id, float width, const Rows& rows, Value& value, Same same) {
  const char* shown = "";
  for (const auto& [each, title] : rows) {
    if (same(each, value)) shown = title;
  }
  ImGui::SetNextItemWidth(context.px(width));
  if (!ImGui::BeginCombo(id, shown)) return;
  for (const auto& [each, title] : rows) {
    if (ImGui::Selectable(title, same(each, value))) value = each;
  }
  ImGui::EndCombo();
}

void draw_library_choice(const FrameContext& context, const ExchangeState& state, const char* id, const char* none,
                         std::string& library) {
  ImGui::SetNextItemWidth(context.px(150));
  if (!ImGui::BeginCombo(id, library.empty() ? none : library.c_str())) return;
  if (none[0] != '\0' && ImGui::Selectable(none, library.empty())) library.clear();
  for (const ExchangeLibrary& each : state.libraries) {
    if (ImGui::Selectable(each.name.c_str(), each.name == library)) library = each.name;
    ImGui::SameLine();
    draw_text(library_state_text(each), context.theme.dim);
  }
  ImGui::EndCombo();
}

void draw_choice(const FrameContext& context, ExchangeState& state) {
  draw_library_choice(context, state, "##library", "", state.choice.library);
  explain("Only what is imported here, or what an import would find, is offered.");
  same_line_for(context.px(140));
  draw_combo(context, "##policy", 140, kPolicies, state.choice.copy, [](CopyPolicy a, CopyPolicy b) { return a == b; });
  same_line_for(context.px(120));
  draw_combo(context, "##device", 120, kDevices, state.choice.device,
             [](std::string_view a, const std::string& b) { return a == b; });
  same_line_for(context.px(150));
  draw_name_field(context, "name of the result", state.name);
}

// The libraries by name: a click chooses one; dropping a tensor on one hands it over at once.
void draw_library_targets(const FrameContext& context, ExchangeState& state, Commands& commands) {
  if (state.libraries.empty()) return;
  draw_text("Drop a row of the table on", context.theme.dim);
  for (const ExchangeLibrary& library : state.libraries) {
    same_line_for(button_width(library.name.c_str()));
    if (small_button(LineText("{}###onto {}", library.name, library.name).c_str())) state.choice.library = library.name;
    explain([&] {
      return fmt::format("{}, {}. A tensor that is dropped here is handed to it at once.", library.function,
                         library_state_text(library));
    });
    const auto dropped = dropped_tensor(context);
    if (!dropped || why_not_now(context, state) != nullptr) continue;
    state.choice.library = library.name;
    state.handed.reset();
    state.handed_problem.clear();
    commands.push(command::SelectTensor{*dropped});
    commands.push(
        command::HandTo{{{context.index->snapshot->info.revision, *dropped}, library.name, "", CopyPolicy::if_needed, ""}});
  }
}

void draw_plan(const FrameContext& context, const ExchangeState& state) {
  if (!state.plan_problem.empty()) return draw_wrapped_text(state.plan_problem, context.theme.warn);
  if (!state.plan) {
    if (why_not_acted(context.moment, context.host) == nullptr) draw_text("Asking Python …", context.theme.dim);
    return;
  }
  draw_text("The calls it takes", context.theme.dim);
  draw_calls(context, state.plan->calls, false);
  if (!state.plan->known)
    draw_wrapped_text("Which calls follow is known once the library is imported: this one then asks first and shows them.",
                      context.theme.dim);
}

void draw_step(const FrameContext& context, const core::ProofStep& step, int number) {
  ImGui::PushID(number);
  ImGui::Separator();
  draw_text(LineText("{} → {}", step.from, step.to), context.theme.text);
  ImGui::SameLine();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const char* const verdict = core::hand_over_name(step.verdict);
  draw_text(verdict, tone_colour(context.theme, verdict_tone(verdict)));
  ImGui::PopFont();
  draw_evidence(context, evidence_of(step));
  ImGui::PopID();
}

void draw_chain(const FrameContext& context, ExchangeState& state) {
  std::optional<std::size_t> removed;
  for (std::size_t i = 0; i < state.chain.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i > 0) {
      same_line_for(ImGui::CalcTextSize(state.chain[i].c_str()).x + context.px(40));
      draw_text("→", context.theme.dim);
      ImGui::SameLine();
    }
    if (small_button(LineText("{} ×", state.chain[i]).c_str())) removed = i;
    explain("Take it out of the chain.");
    ImGui::PopID();
  }
  if (!removed) return;
  state.chain.erase(state.chain.begin() + static_cast<std::ptrdiff_t>(*removed));
  state.proof.reset();
}

// Asks once per tensor and snapshot.
void ask_about_life(const FrameContext& context, ExchangeState& state, Commands& commands) {
  static constexpr const char* kAsker = "life";
  if (const Reply* const reply = context.answers.reply(kAsker);
      reply != nullptr && state.life_ticket != 0 && reply->ticket == state.life_ticket) {
    state.life_ticket = 0;
    auto life = read_life(reply->text);
    state.life_problem = !reply->error.empty() ? reply->error : life ? std::string() : life.error().message;
    if (life && reply->error.empty()) state.life = std::move(*life);
  }
  if (state.life_ticket != 0 || context.answers.closed() || context.host.state() != HostState::idle) return;
  std::string question = life_question(*context.index->snapshot, context.selected);
  std::string asked = fmt::format("{} {}", context.generation, question);
  if (asked == state.life_asked) return;
  state.life.reset();
  state.life_asked = std::move(asked);
  state.life_ticket = ++state.last_ticket;
  commands.push(command::AskPython{Question{kAsker, state.life_ticket, "life", std::move(question), true}});
}

}  // namespace

void draw_hand_over_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject) {
    draw_wrapped_text(
        "Select a tensor: this hands it to another library, shows each call on the way and says what happened to the memory.",
        context.theme.dim);
    return draw_library_targets(context, state, commands);
  }
  draw_subject(context, *subject);
  if (state.libraries.empty() && !state.handed) {
    if (!state.no_libraries.empty()) return draw_wrapped_text(state.no_libraries, context.theme.dim);
    if (why_not_acted(context.moment, context.host) == nullptr)
      draw_text("Asking Python which libraries there are …", context.theme.dim);
    return;
  }
  draw_choice(context, state);
  draw_library_targets(context, state, commands);
  if (draw_go(context, state, "Hand it over")) {
    commands.push(command::HandTo{{subject->ref, state.choice.library, state.choice.device, state.choice.copy, state.name}});
    state.handed.reset();
    state.handed_problem.clear();
  }
  if (state.plan) {
    ImGui::SameLine();
    draw_line(context, state.plan->line);
  }
  if (!state.handed_problem.empty()) draw_wrapped_text(state.handed_problem, context.theme.bad);
  const bool of_this = state.handed && (state.handed_subject.empty() || state.handed_subject == subject->name);
  if (!of_this) return draw_plan(context, state);
  const core::wire::HandedOver& done = *state.handed;
  ImGui::Separator();
  draw_results_age(context, state);
  draw_verdict(context, done.verdict, verdict_meaning(done.verdict));
  if (!done.name.empty()) draw_text(LineText("{} is now a {}", done.name, done.type), context.theme.text);
  if (done.verdict == "REFUSED") draw_refusal(context, done, subject->library);
  draw_evidence(context, evidence_of(done));
  draw_text("What was called", context.theme.dim);
  draw_calls(context, done.calls, true);
  ImGui::PushID("done");
  draw_line(context, done.line);
  ImGui::PopID();
}

void draw_copy_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject) {
    draw_wrapped_text("Select a tensor: this copies it into memory of its own, converts it, or copies it for another library.",
                      context.theme.dim);
    return;
  }
  draw_subject(context, *subject);
  core::wire::CopyTensor& copy = state.copy;
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
  same_line_for(context.px(170));
  ImGui::Checkbox("keep the order of axes", &copy.keep_order);
  explain("Off: the copy lies in C order. On: its axes lie in the order of the source's strides, without gaps.");
  same_line_for(context.px(150));
  draw_name_field(context, "name of the copy", copy.name);
  if (draw_go(context, state, "Make the copy")) {
    core::wire::CopyTensor work = copy;
    work.tensor = subject->ref;
    commands.push(command::CopyTensor{std::move(work)});
    state.copied.reset();
    state.copy_problem.clear();
  }
  if (!state.copy_problem.empty()) draw_wrapped_text(state.copy_problem, context.theme.bad);
  const bool of_this = state.copied && (state.copied_subject == subject->name || state.copied->name == subject->name);
  if (!of_this) {
    return draw_wrapped_text(
        "Free memory is checked before, every element is compared afterwards, and the copy is listed in the ledger.",
        context.theme.dim);
  }
  ImGui::Separator();
  draw_results_age(context, state);
  draw_text(LineText("{} is now a {}", state.copied->name, state.copied->type), context.theme.good);
  draw_wrapped_text(copied_text(*state.copied), context.theme.text);
  draw_line(context, state.copied->line);
}

std::optional<core::wire::Prove> chain_work(const FrameContext& context, const ExchangeState& state, std::string& missing) {
  if (context.index == nullptr) return std::nullopt;
  const core::Snapshot& snapshot = *context.index->snapshot;
  core::wire::Prove work{.revision = snapshot.info.revision, .tensors = {}, .pairs = false, .probe = state.probe};
  for (const std::string& name : state.chain) {
    const core::TensorRecord* const tensor = snapshot.find(name);
    if (tensor == nullptr) {
      missing = name;
      return std::nullopt;
    }
    work.tensors.push_back(static_cast<std::uint32_t>(tensor - snapshot.tensors.data()));
  }
  return work;
}

void draw_prove_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  draw_wrapped_text("A chain of tensors, each handed over to the next: is it the same memory at every step?", context.theme.dim);
  draw_chain(context, state);
  ImGui::BeginDisabled(!subject);
  if (ImGui::Button(subject ? LineText("Add {}", subject->name).c_str() : "Add the selected tensor")) {
    state.chain.push_back(subject->name);
    state.proof.reset();
  }
  ImGui::EndDisabled();
  if (!subject) explain("Select a tensor first.");
  ImGui::SameLine();
  ImGui::Checkbox("write probe", &state.probe);
  explain(
      "Changes one byte through each tensor, looks for it in the next and puts it back. Never where a side is read-only or "
      "immutable by contract.");
  ImGui::SameLine();
  if (draw_go(context, state, "Prove the chain", why_no_chain(context, state))) {
    std::string missing;
    auto work = chain_work(context, state, missing);
    state.proof.reset();
    state.proof_problem.clear();
    if (work) commands.push(command::Prove{std::move(*work)});
  }
  if (!state.proof_problem.empty()) draw_wrapped_text(state.proof_problem, context.theme.bad);
  if (!state.proof) return;
  ImGui::SameLine();
  if (ImGui::Button("Copy as JSON")) ImGui::SetClipboardText(core::proof_json(*state.proof).c_str());
  ImGui::SameLine();
  if (ImGui::Button("Copy as text")) ImGui::SetClipboardText(proof_text(*state.proof).c_str());
  draw_results_age(context, state);
  draw_verdict(context, core::hand_over_name(state.proof->verdict), proof_meaning(*state.proof));
  int number = 0;
  for (const core::ProofStep& step : state.proof->steps) draw_step(context, step, number++);
}

void draw_life_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto subject = subject_of(context);
  if (!subject)
    return draw_wrapped_text("Select a tensor: this says whose memory it is, and what has to go before that memory is freed.",
                             context.theme.dim);
  ask_about_life(context, state, commands);
  draw_subject(context, *subject);
  if (!state.life_problem.empty()) return draw_wrapped_text(state.life_problem, context.theme.warn);
  if (!state.life) return draw_text("Asking Python …", context.theme.dim);
  const LifeAnswer& life = *state.life;
  if (!life.found)
    return draw_wrapped_text("It no longer exists. Scan again (Run menu) to see what there is now.", context.theme.warn);
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  const core::Snapshot& snapshot = *context.index->snapshot;
  const std::uint64_t together = tensor.group == core::kNone32 ? tensor.nbytes : snapshot.groups[tensor.group].distinct_bytes;
  if (const std::string unused = keeps_alive_text(life, together); !unused.empty()) draw_wrapped_text(unused, context.theme.warn);
  std::vector<EvidenceLine> lines;
  lines.emplace_back("memory of", "size unknown");
  if (life.allocation_bytes)
    lines.back().second =
        fmt::format("a {} with {} (told by its {})", life.owner, exact_bytes(*life.allocation_bytes), life.source);
  std::string chain;
  for (const std::string& link : life.chain) chain += (chain.empty() ? "" : "  →  ") + link;
  lines.emplace_back("the way there", chain);
  if (context.held.contains(context.selected)) lines.emplace_back("lease", "dlscope holds it, as you asked: Release lets it go");
  draw_evidence(context, lines);
  draw_text(holders_text(life), context.theme.dim);
  for (const auto& [name, how] : life.holders) draw_wrapped_text("  " + name + ": " + how, context.theme.text);
  if (life.unnamed > 0)
    draw_wrapped_text(fmt::format("  and {} to it that no tensor's name explains (a container, a closure, a library)",
                                  counted(life.unnamed, "reference", "references")),
                      context.theme.dim);
  if (const std::string unsaid = unsaid_text(life); !unsaid.empty()) draw_wrapped_text("  " + unsaid, context.theme.text);
  if (small_button("Ask again")) state.life_asked.clear();
}

void draw_ledger_tab(const FrameContext& context) {
  const std::vector<LedgerRow> rows = context.index != nullptr ? ledger_rows(*context.index->snapshot) : std::vector<LedgerRow>();
  if (rows.empty()) {
    draw_wrapped_text(
        "dlscope has copied nothing, and written nothing by hand. Viewing, scanning and reading values make no copy; copies you "
        "ask for are listed here.",
        context.theme.dim);
    return;
  }
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                          ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("ledger", 4, kFlags)) return;
  for (const char* title : {"From", "To", "Copied", "Why"}) ImGui::TableSetupColumn(title);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LedgerRow& row = rows[static_cast<std::size_t>(i)];
      ImGui::TableNextRow();
      for (const std::string* const text : {&row.from, &row.to, &row.rate, &row.why}) {
        ImGui::TableNextColumn();
        draw_text(*text, context.theme.text);
        explain([&] { return row.size.empty() ? row.why : row.size + "\n" + row.why; });
      }
    }
  }
  ImGui::EndTable();
}

}  // namespace dlscope::app
