#include "app/models/jobs/own_task.h"

namespace dlscope::app {

core::Result<std::string> carry_out_task(core::Task& task, TaskProgress& progress, const std::function<void()>& after_step) {
  for (;;) {
    const auto state = task.step();
    after_step();
    if (!state) return std::unexpected(state.error());
    if (*state == core::Task::State::done) return std::string();
    const core::TaskProgress now = task.progress();
    if (!progress.report(now.done, now.total)) return core::fail(core::ErrorKind::cancelled, {});
  }
}

}  // namespace dlscope::app
