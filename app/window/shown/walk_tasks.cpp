#include "app/window/shown/walk_tasks.h"

#include <utility>

#include "app/panels/workspace.h"

namespace dlscope::app {

bool WalkTasks::follow(PanelStates& panels, TaskRunner& tasks) {
  const std::array<SpecialWalk*, 2> walks{&panels.values.walk, &panels.heatmap.walk};
  bool changed = false;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    SpecialWalk& walk = *walks[i];
    Listed& listed = listed_[i];
    const bool goes_on = walk.walking() && walk.number() == listed.walk;
    if (listed.task != 0 && !goes_on) {
      const bool completed = walk.completed() && walk.number() == listed.walk;
      tasks.list().end(std::exchange(listed.task, 0), completed ? TaskState::done : TaskState::cancelled,
                       completed ? walk.said() : "", TaskList::Clock::now());
      changed = true;
    }
    if (!walk.walking() || walk.searched() == 0) continue;  // most find something at once
    if (listed.task == 0) {
      const auto cancel = [&walk, &said = panels.values.said, of_values = i == 0] {
        walk.stop();
        if (of_values) said = walk.said();
      };
      listed = {tasks.follow(walk.title(), TaskUnit::elements, cancel), walk.number(), 0};
    }
    if (std::exchange(listed.searched, walk.searched()) == walk.searched()) continue;
    tasks.list().progress(listed.task, walk.searched(), walk.most(), TaskList::Clock::now());
    changed = true;
  }
  return changed;
}

}  // namespace dlscope::app
