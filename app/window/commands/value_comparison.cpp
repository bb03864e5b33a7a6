#include "app/window/commands/value_comparison.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/models/jobs/own_task.h"
#include "core/compare/snapshot_comparison.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

const char kCancelled[] = "The comparison was cancelled.";

std::string failed_text(const std::string& why) { return "Not compared: " + why + "."; }

// Only the answer to the last question counts.
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
    answer(panel, ticket, end.outcome == WorkOutcome::cancelled ? kCancelled : failed_text(end.message));
  };
  const std::uint64_t started = parts.host.work().start(work, std::move(title), {.ended = ended});
  if (started == 0)
    return answer(parts.panels.compare, ticket, "No Python process is there to do it. Run or Restart gives a new one.");
  parts.panels.compare.task = parts.host.work().task_of(started);
}

void compare_here(core::SnapshotTensor a, core::SnapshotTensor b, const command::CompareValues& request, std::string title,
                  ApplicationParts& parts) {
  auto made = core::SnapshotComparison::make(std::move(a), std::move(b), request.tolerance, request.broadcast);
  if (!made) return answer(parts.panels.compare, request.ticket, failed_text(made.error().message));
  const std::shared_ptr<core::SnapshotComparison> task = std::move(*made);
  const auto file = parts.tensors.compare.file().file();
  const auto since = std::make_shared<core::SinceOpened>();
  parts.panels.compare.task = parts.tasks.start(
      std::move(title), TaskUnit::bytes,
      [task, file, since](TaskProgress& progress) {
        auto done = carry_out_task(*task, progress);
        if (file) *since = file->since_opened();
        return done;
      },
      [&panel = parts.panels.compare, &compared = parts.tensors.compare.file(), file, since, ticket = request.ticket,
       task](const TaskEntry& end) {
        if (file) compared.note(file, *since);
        if (end.state == TaskState::done) return answer(panel, ticket, {}, task->found());
        answer(panel, ticket, end.state == TaskState::cancelled ? kCancelled : failed_text(end.message));
      });
}

}  // namespace

void compare_values(const command::CompareValues& compare, ApplicationParts& parts) {
  const ComparedSides& sides = parts.tensors.compare.sides();
  if (!sides.both()) return;
  ComparePanelState& panel = parts.panels.compare;
  if (panel.task != 0) parts.tasks.cancel(panel.task);  // of the question before
  const core::SnapshotTensor &a = parts.tensors.compare.a(), &b = parts.tensors.compare.b();
  std::string title =
      fmt::format("Comparing {} with {}", sides.a.snapshot->name(sides.a.record()), sides.b.snapshot->name(sides.b.record()));
  for (const ComparedSide* const side : {&sides.a, &sides.b}) {
    if (!side->why_not.empty()) return answer(panel, compare.ticket, side->why_not);
  }
  if (parts.tensors.compare.in_host()) {
    const core::wire::TensorRef first{a.snapshot->info.revision, a.tensor}, second{b.snapshot->info.revision, b.tensor};
    return compare_in_host({first, second, compare.tolerance, compare.broadcast}, compare.ticket, std::move(title), parts);
  }
  if (!a.memory || !b.memory) return answer(panel, compare.ticket, "There is no process to read them from.");
  compare_here(a, b, compare, std::move(title), parts);
}

}  // namespace dlscope::app
