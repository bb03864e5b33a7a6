#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"sample",
     "About a million values from all over a large tensor, at once. What is rare may not be in it: the exact numbers follow."},
    {"±", "Of exact numbers: a bound on what rounding may have done. Of a sample: half the 95 % confidence interval."},
    {"subnormal", "Closer to zero than the smallest number of full precision. Many of them are slow, and a sign of underflow."},
    {"outside",
     "Values far from the bulk are counted outside the histogram, so that they do not push all others into one bar."},
    {"Go there", "Pins the element: every other view shows it."},
};

constexpr Action kActions[] = {
    {.id = statistics_compute,
     .name = "statistics.compute",
     .title = "Read all values of the tensor for its statistics",
     .meaning = "A sample first, then every value, as a task in the Python process; it can be cancelled.",
     .refusal = needs_bytes},
};

}  // namespace

constinit const PanelFacts kStatisticsPanel = {
    .context = ActionContext::statistics,
    .title = "Statistics",
    .where = "In the statistics",
    .action = "view.statistics",
    .home = PanelHome::detail,
    .what =
        "The values of the selected tensor in numbers: extremes, mean, NaN and infinities with the place of the first and the "
        "last, a histogram. Small tensors are read at once, large ones when you say so.",
    .terms = kTerms,
    .actions = kActions,
};

}  // namespace dlscope::app
