#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kTerms[] = {
    {"names", "The console sees what the last run left, and what it assigns appears in the tables."},
    {"input()", "When the script waits for a line, the field says so and sends what you type."},
};

constexpr FixedKey kFixedKeys[] = {
    {"Enter, Shift+Enter", "Run when complete, else a new line; always a new line"},
    {"Up, Down, Ctrl+R", "What was typed before; what contains the words typed"},
    {"Tab", "Complete names, attributes and keys"},
    {"Ctrl+C", "Copy the selection; without one, stop the script"},
};

}  // namespace

constinit const PanelFacts kOutputPanel = {
    .context = ActionContext::output,
    .title = "Output",
    .where = "In the console",
    .action = "view.output",
    .home = PanelHome::console,
    .what =
        "What the script prints, also from C code and child processes, and a line to type Python into, in the same "
        "interpreter.",
    .terms = kTerms,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
