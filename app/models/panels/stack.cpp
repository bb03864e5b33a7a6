#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kTerms[] = {
    {"frame", "A function that was called and has not returned. The innermost is listed above the one that called it."},
    {"chosen frame", "The console, completion and watches see its names. A click chooses another one."},
    {"library", "Frames of code that is not yours are dim, and folded where several follow one another."},
    {"watch", "An expression that is evaluated at each stop in the chosen frame, and never while code runs."},
};

}  // namespace

constinit const PanelFacts kStackPanel = {
    .context = ActionContext::stack,
    .title = "Stack",
    .where = "In the stack",
    .action = "view.stack",
    .home = PanelHome::stack,
    .at_first = false,
    .what =
        "Where the script is at a stop: the functions that were called, innermost first, and expressions that are watched from "
        "stop to stop.",
    .terms = kTerms,
};

}  // namespace dlscope::app
