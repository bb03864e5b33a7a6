// HostWork: the window's list of tasks and acts in the host. Each is listed with the other long work, and cancelling it there
// reaches the host. Whoever started it gets its parts and, exactly once, its end.
// thread: UI.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "app/models/jobs/task_runner.h"
#include "app/window/host_link.h"

namespace dlscope::app {

struct WorkHandlers {
  std::function<void(const core::wire::WorkPart&)> part = [](const core::wire::WorkPart&) {};
  std::function<void(const HostWorkEnded&)> ended = [](const HostWorkEnded&) {};
};

[[nodiscard]] TaskState task_state(core::wire::WorkOutcome outcome);

class HostWork {
 public:
  // link: may be null; outlives this.
  HostWork(HostLink* link, TaskRunner& tasks) : link_(link), tasks_(tasks) {}

  // title: "Searching x". Returns the host's number for it; 0: no host takes work now, and no handler is called.
  std::uint64_t start(core::wire::Work work, std::string title, WorkHandlers handlers = {});
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
  };
  HostLink* link_;
  TaskRunner& tasks_;
  std::map<std::uint64_t, Open> open_;  // by the host's number
};

}  // namespace dlscope::app
