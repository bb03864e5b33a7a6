#include "app/window/value_comparison.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/window/own_task.h"
#include "core/compare/snapshot_comparison.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

const char kCancelled[] = "The comparison was cancelled.";

std::string failed_words(const std::string& why) { return "Not compared: " + why + "."; }

// An answer is for the question that was asked last.
void answer(ComparePanelState& panel, std::uint64_t ticket, std::string problem, std::optional<core::Comparison> found = {}) {
  if (panel.ticket != ticket) return;
  panel.task = 0;
  panel.problem = std::move(problem);
  panel.found = std::move(found);
  panel.text = {};
}

void compare_in_host(const core::wire::CompareTensors& work, std::uint64_t ticket, std::string title, ApplicationParts& parts) {
  const auto ended = [&panel = parts.panels.compare, ticket](const HostWorkEnded& end) {
    const auto* found = std::get_if<core::Comparison>(&end.result);
    if (end.outcome == WorkOutcome::done && found != nullptr) return answer(panel, ticket, {}, *found);
    answer(panel, ticket, end.outcome == WorkOutcome::cancelled ? kCancelled : failed_words(end.words));
  };
  const std::uint64_t started = parts.host.work().start(work, std::move(title), {.ended = ended});
  if (started == 0) return answer(parts.panels.compare, ticket, "No Python process is there to do it. Run or Restart gives a new one.");
  parts.panels.compare.task = parts.host.work().task_of(started);
}

void compare_here(core::SnapshotTensor a, core::SnapshotTensor b, const command::CompareValues& request, std::string title,
                  ApplicationParts& parts) {
  auto made = core::SnapshotComparison::make(std::move(a), std::move(b), request.tolerance, request.broadcast);
  if (!made) return answer(parts.panels.compare, request.ticket, failed_words(made.error().message));
  const std::shared_ptr<core::SnapshotComparison> task = std::move(*made);
  parts.panels.compare.task = parts.tasks.start(
      std::move(title), TaskUnit::bytes, [task](TaskProgress& progress) { return carry_out_task(*task, progress); },
      [&panel = parts.panels.compare, ticket = request.ticket, task](const TaskEntry& end) {
        if (end.state == TaskState::done) return answer(panel, ticket, {}, task->found());
        answer(panel, ticket, end.state == TaskState::cancelled ? kCancelled : failed_words(end.words));
      });
}

}  // namespace

void compare_values(const command::CompareValues& compare, ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const std::uint32_t a = parts.views.selection().selected(), b = parts.views.selection().compared();
  if (!index || a >= index->size() || b >= index->size()) return;
  if (parts.panels.compare.task != 0) parts.tasks.cancel(parts.panels.compare.task);  // of the question before
  const core::SnapshotPtr& snapshot = index->snapshot;
  std::string title = fmt::format("Comparing {} with {}", snapshot->name(index->tensor(a)), snapshot->name(index->tensor(b)));
  const std::uint64_t revision = snapshot->info.revision;
  const Moment moment = moment_of(parts);
  const HeldTensors& held = parts.views.held();
  const std::uint32_t less_known = held.contains(a) ? b : a;
  if (std::string no = why_not_read(moment, state_of(moment, held.contains(less_known))); !no.empty())
    answer(parts.panels.compare, compare.ticket, std::move(no));
  else if (shows_file(parts) || parts.views.looks_back() || !parts.host.exists())
    compare_here({snapshot, a, shown_memory(parts).for_workers()}, {snapshot, b, shown_memory(parts).for_workers()}, compare, std::move(title), parts);
  else
    compare_in_host({{revision, a}, {revision, b}, compare.tolerance, compare.broadcast}, compare.ticket, std::move(title), parts);
}

}  // namespace dlscope::app
