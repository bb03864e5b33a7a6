// HostWork: the window's list of tasks and acts in the host. Each is listed with the other long work, and cancelling it there
// reaches the host. Whoever started it gets its parts and, exactly once, its end.
// thread: UI.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "app/models/host/session_event.h"
#include "app/models/jobs/task_runner.h"
#include "app/window/host/host_link.h"

namespace dlscope::app {

struct WorkHandlers {
  std::function<void(const core::wire::WorkPart&)> part = [](const core::wire::WorkPart&) {};
  std::function<void(const HostWorkEnded&)> ended = [](const HostWorkEnded&) {};
};

[[nodiscard]] TaskState task_state(core::wire::WorkOutcome outcome);

class HostWork {
 public:
  // link: may be null; outlives this. acts: told of each act (ActSent, ActEnded), the end before its handler is called.
  HostWork(HostLink* link, TaskRunner& tasks, std::function<void(SessionEvent)> acts = [](const SessionEvent&) {})
      : link_(link), tasks_(tasks), acts_(std::move(acts)) {}

  // title: "Searching x". Returns the host's number for it; 0: no host takes work now, and no handler is called.
  std::uint64_t start(core::wire::Work work, std::string title, WorkHandlers handlers = {});
  // As the list of tasks does, which then says so. Its end says whether that took effect.
  void cancel(std::uint64_t work);
  // Its number in the list of tasks; 0: it has ended.
  [[nodiscard]] std::uint64_t task_of(std::uint64_t work) const {
    const auto open = open_.find(work);
    return open == open_.end() ? 0 : open->second.task;
  }

  // Messages from the host. Those about work that is not open are ignored.
  void take(const HostProgress& progress);
  void take(const HostPart& part);
  void take(const HostWorkEnded& end);

 private:
  struct Open {
    std::uint64_t task = 0;  // in the list
    WorkHandlers handlers;
    bool is_act = false;
  };
  HostLink* link_;
  TaskRunner& tasks_;
  std::function<void(SessionEvent)> acts_;
  std::map<std::uint64_t, Open> open_;  // by the host's number
};

}  // namespace dlscope::app
