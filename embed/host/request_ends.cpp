#include "embed/host/request_ends.h"

#include <string>
#include <utility>

#include "core/base/overloaded.h"
#include "core/wire/script_file.h"

namespace dlscope::embed {

namespace {

EndMessages ends_of_interrupted_run(const core::wire::Run& run) {
  core::wire::RunFinished end{run.run, {}};
  end.outcome.outcome = core::Outcome::interrupted;
  end.outcome.script_path = !run.path.empty() ? run.path : !run.module.empty() ? run.module : core::wire::kCodeFile;
  EndMessages ends{std::move(end)};
  if (run.scan_after) ends.emplace_back(core::wire::ScanFinished{});  // as if Python had run it and found nothing new
  return ends;
}

}  // namespace

EndMessages ends_of_interrupted(const Request& request) {
  using namespace core::wire;
  return std::visit(
      core::Overloaded{
          [](const Ask& question) { return EndMessages{Answer{question.id, question.kind, {}, kAnswerStopped}}; },
          [](const Scan& scan) { return EndMessages{ScanFinished{scan.request, ScanResult::stopped, {}}}; },
          [](const Run& run) { return ends_of_interrupted_run(run); }, [](const ActRequest&) { return EndMessages{}; },
          [](const Shutdown&) { return EndMessages{}; }, [](const Resume&) { return EndMessages{}; },
          [](const ChangesWait&) { return EndMessages{}; }},
      request);
}

EndMessages ends_of_failed(const core::wire::ToHost& request, const char* python_error, std::string_view reason) {
  using namespace core::wire;
  const std::string why(reason);
  return std::visit(
      core::Overloaded{[&](const Start& start) { return EndMessages{WorkEnded{start.id, WorkOutcome::failed, why, {}}}; },
                       [&](const Ask& question) { return EndMessages{Answer{question.id, question.kind, {}, why}}; },
                       [&](const Scan& scan) { return EndMessages{ScanFinished{scan.request, ScanResult::failed, why}}; },
                       [&](const Run& run) {
                         EndMessages ends = ends_of_interrupted_run(run);
                         core::RunOutcome& outcome = std::get<RunFinished>(ends.front()).outcome;
                         outcome.outcome = core::Outcome::raised;
                         outcome.error = core::ScriptError{python_error, why, 0, {}};
                         return ends;
                       },
                       [](const auto&) { return EndMessages{}; }},
      request);
}

}  // namespace dlscope::embed
