// HostWork: tasks and acts in the host as the window knows them: each is listed with the rest of the long work, its cancelling is
// passed on, and whoever started it hears of its parts and, once, of its end.
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

  // title: "Searching x". Its number in the host; 0: nobody takes work now, and nothing will be heard of it.
  std::uint64_t start(core::wire::Work work, std::string title, WorkHandlers handlers = {});
  void cancel(std::uint64_t work);
  // Its number in the list of tasks; 0: it has ended.
  [[nodiscard]] std::uint64_t task_of(std::uint64_t work) const {
    const auto open = open_.find(work);
    return open == open_.end() ? 0 : open->second.task;
  }

  // What the host says about it. About work that is not open: ignored.
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
