#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
constinit const PanelFacts kLogPanel = {
    .context = ActionContext::log,
    .title = "Log",
    .where = "In the log",
    .action = "view.log",
    .home = PanelHome::console,
    .what = "What happened in this session: runs, what they changed, every notice, also those that were dismissed, and what the "
            "script's process noted: copies, refusals, capsules, leases.",
};

}  // namespace dlscope::app
