#include "app/window/host/host_work.h"

#include <utility>

namespace dlscope::app {
namespace {

TaskUnit unit_of(core::wire::ProgressUnit unit) {
  switch (unit) {
    case core::wire::ProgressUnit::bytes:
      return TaskUnit::bytes;
    case core::wire::ProgressUnit::elements:
      return TaskUnit::elements;
    case core::wire::ProgressUnit::tensors:
      return TaskUnit::tensors;
  }
  return TaskUnit::none;
}

}  // namespace

TaskState task_state(core::wire::WorkOutcome outcome) {
  switch (outcome) {
    case core::wire::WorkOutcome::done:
      return TaskState::done;
    case core::wire::WorkOutcome::failed:
      return TaskState::failed;
    case core::wire::WorkOutcome::cancelled:
      return TaskState::cancelled;
  }
  return TaskState::failed;
}

std::uint64_t HostWork::start(core::wire::Work work, std::string title, WorkHandlers handlers) {
  const bool is_act = core::wire::is_act(work);
  const std::uint64_t id = link_ != nullptr ? link_->start_work(std::move(work)) : 0;
  if (id == 0) return 0;
  if (is_act) acts_(session_event::ActSent{id, title});
  open_[id] = {tasks_.follow(std::move(title), TaskUnit::bytes, [this, id] { link_->cancel(id); }), std::move(handlers), is_act};
  return id;
}

void HostWork::cancel(std::uint64_t work) {
  if (const auto open = open_.find(work); open != open_.end()) tasks_.cancel(open->second.task);
}

void HostWork::take(const HostProgress& progress) {
  const auto open = open_.find(progress.id);
  if (open == open_.end()) return;
  tasks_.list().set_unit(open->second.task, unit_of(progress.unit));
  tasks_.list().progress(open->second.task, progress.done, progress.total, TaskList::Clock::now());
}

void HostWork::take(const HostPart& part) {
  const auto open = open_.find(part.id);
  if (open == open_.end()) return;
  const auto handler = open->second.handlers.part;  // it may start other work
  handler(part.part);
}

void HostWork::take(const HostWorkEnded& end) {
  const auto open = open_.find(end.id);
  if (open == open_.end()) return;
  const Open ended = std::move(open->second);
  open_.erase(open);
  if (ended.is_act) acts_(session_event::ActEnded{end.id});
  tasks_.list().end(ended.task, task_state(end.outcome), end.message, TaskList::Clock::now());
  ended.handlers.ended(end);
}

}  // namespace dlscope::app
