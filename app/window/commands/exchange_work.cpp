#include "app/window/commands/exchange_work.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/verdict_text.h"
#include "app/window/commands/proof_export.h"
#include "app/window/commands/tensor_work.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

// "x", "x[1:3]"
std::string name_of(const ApplicationParts& parts, core::wire::TensorRef ref, const std::vector<core::AxisSlice>& slice) {
  const IndexPtr& index = parts.tensors.views.index();
  if (!index || index->snapshot->info.revision != ref.revision || ref.tensor >= index->size()) return "the tensor";
  const core::TensorRecord& tensor = index->tensor(ref.tensor);
  return core::slice_expression(index->snapshot->name(tensor), index->snapshot->shape(tensor), slice);
}

// The selected tensor; null: there is none.
const core::TensorRecord* selected_tensor(const ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const std::uint32_t selected = parts.tensors.views.selection().selected();
  return index && selected < index->size() ? &index->tensor(selected) : nullptr;
}

// "" when it was done; else why not.
std::string problem_of(const HostWorkEnded& end) {
  if (end.outcome == WorkOutcome::done) return {};
  return end.outcome == WorkOutcome::cancelled ? "Cancelled: nothing was made." : end.message;
}

void show_new_tensor(ApplicationParts& parts, const std::string& name) {
  parts.tensors.views.selection().select(name);
  parts.host.ask(session_event::ScanAsked{});
}

}  // namespace

void hand_over(const core::wire::HandTo& work, ApplicationParts& parts) {
  const std::string subject = name_of(parts, work.tensor, work.slice);
  const ExchangeChoice made_with{work.library, work.device, work.copy, work.stream};
  const std::uint64_t code_began = parts.host.session().timeline().code_began();
  // Whatever is in front of it in the queue could be what ends Python.
  const HostSession& session = parts.host.session();
  const bool begins_at_once = !session.busy() && session.act().empty();
  const auto ended = [&parts, subject, made_with, code_began, begins_at_once, library = work.library,
                      began = HostSession::Clock::now()](const HostWorkEnded& end) {
    parts.panels.exchange.busy = false;
    HandOverState& view = parts.panels.exchange.hand;
    view.steps = {};
    view.made_with = made_with;
    view.result = {.subject = subject, .code_began = code_began, .problem = problem_of(end)};
    if (!view.result.problem.empty()) {
      view.show_result = true;
      parts.notices.log(Tone::warn, subject + " was not handed to " + library + ": " + view.result.problem);
    }
    const auto lasted = std::chrono::floor<std::chrono::seconds>(HostSession::Clock::now() - began);
    auto lost =
        begins_at_once && end.outcome == WorkOutcome::failed ? lost_verdict(parts.host.session(), lasted) : std::nullopt;
    if (lost) {
      view.lost = LostHandOver{subject, library, *std::move(lost)};
      view.result.problem.clear();
      view.show_result = false;  // what is lost stands above all else
    }
    const auto* done = std::get_if<core::wire::HandedOver>(&end.result);
    if (end.outcome != WorkOutcome::done || done == nullptr) return;
    view.result.done = *done;
    view.show_result = true;
    parts.notices.log(write_warning(done->step).empty() ? verdict_tone(done->verdict) : Tone::warn,
                      hand_over_log_text(*done, subject, library));
    if (!done->name.empty()) parts.host.ask(session_event::ScanAsked{});
  };
  parts.panels.exchange.busy = start_work(parts, work, "Handing " + subject + " to " + work.library, ended);
}

void copy_tensor(const core::wire::CopyTensor& work, ApplicationParts& parts) {
  const std::string subject = name_of(parts, work.tensor, work.slice);
  const std::uint64_t code_began = parts.host.session().timeline().code_began();
  const auto ended = [&parts, subject, code_began](const HostWorkEnded& end) {
    parts.panels.exchange.busy = false;
    auto& result = parts.panels.exchange.copying.result;
    result = {.subject = subject, .code_began = code_began, .problem = problem_of(end)};
    const auto* done = std::get_if<core::wire::Copied>(&end.result);
    if (end.outcome != WorkOutcome::done || done == nullptr)
      return parts.notices.add(Tone::warn, subject + " was not copied: " + result.problem);
    result.done = *done;
    parts.notices.add(Tone::good, done->name + ": " + copied_text(*done) + ".");
    show_new_tensor(parts, done->name);
  };
  parts.panels.exchange.busy = start_work(parts, work, "Copying " + subject, ended);
}

void choose_slice(const command::ChooseSlice& choose, ApplicationParts& parts) {
  const core::TensorRecord* const tensor = selected_tensor(parts);
  if (tensor == nullptr) return;
  const core::Snapshot& snapshot = *parts.tensors.views.index()->snapshot;
  parts.tensors.slices.choose(snapshot.name(*tensor), choose.slice, snapshot.shape(*tensor));
  if (choose.to_copy) parts.panels.exchange.bring_up = ExchangeTab::copy;
}

ChosenSlice slice_of_selected(const ApplicationParts& parts) {
  const core::TensorRecord* const tensor = selected_tensor(parts);
  if (tensor == nullptr || !tensor->has_layout) return {};
  const core::Snapshot& snapshot = *parts.tensors.views.index()->snapshot;
  return parts.tensors.slices.of(snapshot.name(*tensor), snapshot.shape(*tensor));
}

void open_stream_trace(const std::string& path, ApplicationParts& parts) {
  parts.jobs.post(Lane::files, [&parts, path](const std::stop_token&) -> JobPool::Apply {
    auto read = std::make_shared<core::Result<StreamView>>(read_stream_view(path));
    return [&parts, path, read] {
      StreamsState& view = parts.panels.exchange.streams;
      view.path = view.file = path;
      view.ticket = 0;  // an answer that is still to come is about Python's process, and no longer what was asked for last
      view.problem = *read ? std::string() : read->error().message;
      view.view = *read ? std::optional(std::move(**read)) : std::nullopt;
      parts.panels.exchange.bring_up = ExchangeTab::streams;
    };
  });
}

void prove_tensors(const core::wire::Prove& work, ApplicationParts& parts) {
  const std::vector<std::string> chain = parts.panels.exchange.proving.chain;  // as it was when the button was pressed
  const std::uint64_t code_began = parts.host.session().timeline().code_began();
  const auto ended = [&parts, chain, code_began](const HostWorkEnded& end) {
    parts.panels.exchange.busy = false;
    ProveState& view = parts.panels.exchange.proving;
    view.result = {.subject = chain, .code_began = code_began, .problem = problem_of(end)};
    const auto* proof = std::get_if<core::Proof>(&end.result);
    if (end.outcome != WorkOutcome::done || proof == nullptr) return;
    view.result.done = *proof;
    view.caption = proof_caption(parts);
  };
  parts.panels.exchange.busy = start_work(parts, work, "Proving a chain of hand-overs", ended);
}

}  // namespace dlscope::app
