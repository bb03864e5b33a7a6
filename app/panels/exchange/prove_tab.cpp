#include <imgui.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "app/panels/exchange/exchange_parts.h"
#include "app/panels/exchange/exchange_tabs.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/report/record_json.h"

namespace dlscope::app {
namespace {

// The request to prove the chain; nullopt: the tensor named in `missing` is not in the shown snapshot.
std::optional<core::wire::Prove> chain_work(const FrameContext& context, const ExchangeState& state, std::string& missing) {
  if (context.index == nullptr) return std::nullopt;
  core::wire::Prove work{
      .revision = context.index->snapshot->info.revision, .tensors = {}, .pairs = false, .probe = state.proving.probe};
  for (const std::string& name : state.proving.chain) {
    const auto tensor = context.index->find(name);
    if (!tensor) {
      missing = name;
      return std::nullopt;
    }
    work.tensors.push_back(*tensor);
  }
  return work;
}

// Why these tensors cannot be proved as a chain, as a sentence; "": they can.
std::string why_no_chain(const FrameContext& context, const ExchangeState& state) {
  if (state.proving.chain.size() < 2) return "A chain has two tensors or more.";
  std::string missing;
  return chain_work(context, state, missing) ? std::string() : missing + " is no longer among the tensors.";
}

constexpr std::size_t kMostDrawn = 64;  // tensors of a chain, steps of a proof: each is text to format and to wrap in every frame

void draw_more(const FrameContext& context, std::size_t all, const char* where) {
  if (all > kMostDrawn) draw_wrapped_text(LineText("... and {} more{}", all - kMostDrawn, where), context.theme.dim);
}

// "→", and in front of it the verdict of the proof, if it has this step: in a low panel few steps have room below.
struct ChainLink {
  const char* verdict = nullptr;
  ImVec4 colour;
  [[nodiscard]] LineText text() const { return verdict == nullptr ? LineText("→") : LineText("{} →", verdict); }
};

ChainLink link_before(const FrameContext& context, const ExchangeState& state, std::size_t tensor) {
  const auto& proof = state.proving.result.done;  // of this chain, or of one with the same step
  const core::ProofStep* const step = proof && tensor <= proof->steps.size() ? &proof->steps[tensor - 1] : nullptr;
  if (step == nullptr || step->from != state.proving.chain[tensor - 1] || step->to != state.proving.chain[tensor])
    return {nullptr, context.theme.dim};
  const char* const verdict = core::hand_over_name(step->verdict);
  const bool outdated = age_of(context, state.proving.result.code_began) == VerdictAge::outdated;
  return {verdict, outdated ? context.theme.dim : tone_colour(context.theme, verdict_tone(verdict))};
}

void draw_chain(const FrameContext& context, ExchangeState& state) {
  std::optional<std::size_t> removed;
  for (std::size_t i = 0; i < std::min(state.proving.chain.size(), kMostDrawn); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const LineText label("{} ×", button_name(state.proving.chain[i], "→  ×"));
    if (i > 0) {
      const ChainLink link = link_before(context, state, i);
      const LineText text = link.text();
      same_line_for(ImGui::CalcTextSize(text.c_str()).x + ImGui::GetStyle().ItemSpacing.x + button_width(label.c_str()));
      draw_text(text, link.colour);
      ImGui::SameLine();
    }
    if (small_button(label.c_str())) removed = i;
    explain([&] { return "Take it out of the chain: " + state.proving.chain[i]; });
    ImGui::PopID();
  }
  draw_more(context, state.proving.chain.size(), "");
  if (!removed) return;
  state.proving.chain.erase(state.proving.chain.begin() + static_cast<std::ptrdiff_t>(*removed));
}

void draw_add_button(const FrameContext& context, ExchangeState& state) {
  const auto subject = subject_of(context);
  ImGui::BeginDisabled(!subject);
  if (ImGui::Button(subject ? LineText("Add “{}”", button_name(subject->name, "Add “”")).c_str() : "Add the selected tensor")) {
    state.proving.chain.push_back(subject->name);
  }
  ImGui::EndDisabled();
  explain(subject ? std::string_view(subject->name) : "Select a tensor first.");
}

// The names that the tensor table shows and the chain has not, in the table's order.
std::vector<std::string> shown_names(const FrameContext& context, const ExchangeState& state) {
  std::vector<std::string> names;
  const TensorTableModel* const table = state.proving.table;
  if (context.index == nullptr || table == nullptr || table->index().get() != context.index) return names;
  const OrderPtr order = table->order();
  if (!order) return names;
  const std::set<std::string, std::less<>> chained(state.proving.chain.begin(), state.proving.chain.end());
  for (const std::uint32_t row : order->rows) {
    if (row >= context.index->size()) break;  // the gone ones come last
    std::string name(context.index->snapshot->name(context.index->tensor(row)));
    if (!name.empty() && !chained.contains(name)) names.push_back(std::move(name));
    if (state.proving.chain.size() + names.size() == core::wire::kMaxProved) break;
  }
  return names;
}

void draw_add_all_button(const FrameContext& context, ExchangeState& state) {
  same_line_for(button_width("Add all shown"));
  ImGui::BeginDisabled(!context.has_tensors() || state.proving.chain.size() >= core::wire::kMaxProved);
  if (ImGui::Button("Add all shown")) {
    for (std::string& name : shown_names(context, state)) state.proving.chain.push_back(std::move(name));
  }
  ImGui::EndDisabled();
  explain("What the tensor table shows, in its order: filter it to choose. A chain has at most 1024 tensors.");
}

void draw_proof_buttons(const FrameContext& context, ExchangeState& state, Commands& commands) {
  same_line_for(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize("write probe").x);
  ImGui::Checkbox("write probe", &state.proving.probe);
  explain(
      "Changes one byte through each tensor, looks for it in the next and puts it back. Never where a side is read-only or "
      "immutable by contract.");
  same_line_for(button_width("Prove the chain"));
  if (draw_go(context, state, "Prove the chain", why_no_chain(context, state))) {
    std::string missing;
    auto work = chain_work(context, state, missing);
    state.proving.result = {};
    if (work) commands.push(command::Prove{std::move(*work)});
  }
  const core::Proof* const proof = state.proving.proof();
  if (proof == nullptr) return;
  same_line_for(button_width("Copy as JSON"));
  if (ImGui::Button("Copy as JSON")) ImGui::SetClipboardText(core::proof_json(*proof).c_str());
  same_line_for(button_width("Save as JSON"));
  if (ImGui::Button("Save as JSON"))
    commands.push(command::SaveText{"The proof", "dlscope-proof-", ".json", core::proof_json(*proof)});
  explain("Writes a new file into the folder dlscope was started in.");
  same_line_for(button_width("Save as PNG"));
  if (ImGui::Button("Save as PNG")) want_proof_figure(state.proving);
  explain("A picture with the evidence of every step, script and date, as a new file in the folder dlscope was started in.");
  same_line_for(button_width("Copy as text"));
  if (ImGui::Button("Copy as text")) ImGui::SetClipboardText(proof_text(*proof).c_str());
}

void draw_step(const FrameContext& context, const core::ProofStep& step, int number, VerdictAge age) {
  ImGui::PushID(number);
  ImGui::Separator();
  draw_wrapped_text(LineText("{} → {}", step.from, step.to), context.theme.text);
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const char* const verdict = core::hand_over_name(step.verdict);
  same_line_for(ImGui::CalcTextSize(verdict).x);
  draw_text(verdict, age == VerdictAge::outdated ? context.theme.dim : tone_colour(context.theme, verdict_tone(verdict)));
  ImGui::PopFont();
  if (const std::string warning = unlike_writability(step); !warning.empty()) draw_wrapped_text(warning, context.theme.warn);
  draw_evidence(context, evidence_of(step));
  ImGui::PopID();
}

}  // namespace

void want_proof_figure(ProveState& state) {
  state.figure = {};
  state.figure.wanted = state.proof() != nullptr;
  if (!state.figure.wanted) state.figure.problem = "There is no proof yet to make a picture of: prove a chain first.";
}

void draw_prove_tab(const FrameContext& context, ExchangeState& state, Commands& commands) {
  draw_wrapped_text("A chain of tensors, each handed over to the next: is it the same memory at every step?", context.theme.dim);
  draw_chain(context, state);
  draw_add_button(context, state);
  draw_add_all_button(context, state);
  draw_proof_buttons(context, state, commands);
  const ProveState& proving = state.proving;
  if (!proving.result.problem.empty() && proving.result.subject == proving.chain)
    draw_wrapped_text(proving.result.problem, context.theme.bad);
  const core::Proof* const proof = proving.proof();
  if (proof == nullptr && !proving.figure.problem.empty()) draw_wrapped_text(proving.figure.problem, context.theme.warn);
  if (proof == nullptr) return;
  const VerdictAge age = draw_age(context, proving.result.code_began);
  draw_verdict(context, core::hand_over_name(proof->verdict), proof_meaning(*proof), age);
  const auto& steps = proof->steps;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostDrawn); ++i) draw_step(context, steps[i], static_cast<int>(i), age);
  draw_more(context, steps.size(), " steps: they are in what is saved or copied");
}

}  // namespace dlscope::app
