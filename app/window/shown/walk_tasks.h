// WalkTasks: the searches for the next special value (SpecialWalk) that take longer than a moment, in the list of tasks.
// thread: UI.
#pragma once

#include <array>
#include <cstdint>

#include "app/models/jobs/task_runner.h"
#include "app/models/values/special_walk.h"

namespace dlscope::app {

struct PanelStates;

class WalkTasks {
 public:
  // Call once a frame, after the panels were drawn. True: the list has changed. The panels outlive it.
  bool follow(PanelStates& panels, TaskRunner& tasks);

 private:
  struct Listed {
    std::uint64_t task = 0;  // 0: none
    std::uint64_t walk = 0, searched = 0;
  };
  std::array<Listed, 2> listed_;  // of the values and of the heat map
};

}  // namespace dlscope::app
