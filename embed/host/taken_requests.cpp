#include "embed/host/taken_requests.h"

#include <utility>
#include <variant>

namespace dlscope::embed {
namespace {

constexpr const char* kLost = "an exception reached dlscope's own code in the middle of it: what Python printed says which";

}  // namespace

TakenRequests& TakenRequests::get() {
  static TakenRequests& requests = *new TakenRequests;  // never destroyed: Python may use it until the process has gone
  return requests;
}

void TakenRequests::take(const Request& request, const StopPlace& place) {
  Taken taken;
  taken.stops = place.depth;
  if (const auto* run = std::get_if<core::wire::Run>(&request)) {
    taken.run = run->run;
    taken.has_scan = run->scan_after && run->stop == 0;  // of code in a stopped frame the stop itself is scanned again
  } else if (const auto* scan = std::get_if<core::wire::Scan>(&request)) {
    taken.has_scan = true;
    taken.scan = scan->request;
  } else if (const auto* ask = std::get_if<core::wire::Ask>(&request)) {
    taken.question = ask->id;
    taken.kind = ask->kind;
  } else if (const auto* act = std::get_if<ActRequest>(&request)) {
    taken.act = act->id;
  } else {
    if (const auto* resume = std::get_if<core::wire::Resume>(&request)) resume_ = *resume;
    leaves_ = leaves_ || (std::holds_alternative<core::wire::Shutdown>(request) && place.depth == 0);
    return;
  }
  taken_.push_back(std::move(taken));
}

std::optional<Request> TakenRequests::once_more(const StopPlace& place) const {
  if (place.depth == 0) return leaves_ ? std::optional<Request>(core::wire::Shutdown{}) : std::nullopt;
  if (resume_ && resume_->stop == place.number) return *resume_;
  return std::nullopt;
}

void TakenRequests::run_ended(std::uint64_t run) {
  for (Taken& each : taken_)
    if (each.run == run) each.run = 0;
}

void TakenRequests::scan_ended(const StopPlace& place) {
  if (!taken_.empty() && taken_.back().stops == place.depth) taken_.back().has_scan = false;
}

void TakenRequests::question_ended(std::uint64_t question) {
  for (Taken& each : taken_)
    if (each.question == question) each.question = 0;
}

void TakenRequests::act_ended(std::uint64_t act) {
  for (Taken& each : taken_)
    if (each.act == act) each.act = 0;
}

void TakenRequests::end_those_left(HostService& service, const StopPlace& place) {
  while (!taken_.empty() && taken_.back().stops >= place.depth) {
    const Taken left = std::move(taken_.back());
    taken_.pop_back();
    if (left.run != 0) {
      core::wire::RunFinished end{left.run, {}};
      end.outcome.outcome = core::Outcome::raised;
      end.outcome.error = core::ScriptError{"RuntimeError", std::string("dlscope has lost the end of this run: ") + kLost, 0, {}};
      service.send(end);
    }
    if (left.has_scan) {
      const auto failed = core::wire::ScanResult::failed;
      service.send(core::wire::ScanFinished{left.scan, failed, std::string("The scan did not end: ") + kLost});
    }
    if (left.question != 0) {
      service.serving().end_answering();
      service.send(core::wire::Answer{left.question, left.kind, {}, std::string("it was not answered: ") + kLost});
    }
    if (left.act != 0)
      service.serving().end_act({left.act, core::wire::WorkOutcome::failed, std::string("It was not done: ") + kLost, {}}, false);
  }
}

}  // namespace dlscope::embed
