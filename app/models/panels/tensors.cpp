#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"shape", "How many elements along each axis."},
    {"strides",
     "How far one step along each axis moves through memory, in elements. (4, 1) is row by row; 0 repeats the same "
     "elements, a negative number walks backwards."},
    {"C-contiguous", "The elements lie row by row without gaps. F-contiguous: column by column. A slice is often neither."},
    {"device", "Where the bytes lie: cpu, or a GPU and its number."},
    {"tree, groups", "The same rows under the branches of their names, or under the memory they share."},
    {"= other.name", "Another name of the same tensor: tied weights have several."},
    {"shares x", "Reaches bytes that x reaches too: writing to one can change the other."},
};

constexpr Action kActions[] = {
    {.id = statistics_survey,
     .name = "statistics.survey",
     .title = "NaN, min and max of all tensors",
     .meaning = "Reads all values of every tensor, as a task in the background, and shows the columns.",
     .refusal = [](const ActionState& s) { return s.moment.since == Since::looked_again ? kSeenThen : no_tensors(s); }},
};

constexpr FixedKey kFixedKeys[] = {
    {"Up, Down, Page Up, Page Down, Home, End", "Move through the tensors"},
    {"Ctrl+click", "Compare a second tensor with the selected one"},
    {"Left, Right, Ctrl+Left, Ctrl+Right", "Fold or open a memory group, or all of them"},
    {"Ctrl+C", "Copy the row, or both rows"},
};

}  // namespace

constinit const PanelFacts kTensorsPanel = {
    .context = ActionContext::tensors,
    .title = "Tensors",
    .where = "In the tensor table",
    .action = "view.tensors",
    .home = PanelHome::list,
    .what =
        "One row for every tensor that the names of the script reach, whichever library made it. Rows with the same "
        "colour share memory. After a run, new, changed, moved and gone tensors are marked.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
