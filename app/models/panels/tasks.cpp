#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
constinit const PanelFacts kTasksPanel = {
    .context = ActionContext::tasks,
    .title = "Tasks",
    .where = "In the tasks",
    .action = "view.tasks",
    .home = PanelHome::console,
    .what =
        "Long work, of this window and of the script's process: how far it is, how long it may take, and how it ended. It "
        "goes on while you do something else, and can be cancelled.",
};

}  // namespace dlscope::app
