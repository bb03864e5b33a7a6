#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"grid", "The elements in the order of their indices, as your code sees them."},
    {"tape", "The same elements in the order of their addresses, as memory has them. Equal colours are equal elements."},
    {"address formula",
     "data + byte_offset + index · stride · size of an element, axis by axis, with the numbers of the element "
     "in focus."},
    {"contiguous", "No gaps and in index order. Where that fails, the view names the axis at which it does."},
};

constexpr Action kActions[] = {
    {.id = layout_view_fit,
     .name = "layout_view.fit",
     .title = "Fit the grid or the tape",
     .keys = "F",
     .meaning = "The one under the mouse, else both. Where the memory shared is far larger, F again shows all of it.",
     .refusal = no_tensors},
    {.id = layout_view_natural,
     .name = "layout_view.natural",
     .title = "Grid or tape at 1:1",
     .keys = "0",
     .meaning = "Cells as large as they can be read.",
     .refusal = no_tensors},
    {.id = layout_view_colour,
     .name = "layout_view.colour",
     .title = "Colour by address or by index order",
     .refusal = no_tensors},
    {.id = layout_view_others,
     .name = "layout_view.others",
     .title = "Show who shares the memory below the tape",
     .refusal = no_tensors},
};

constexpr FixedKey kFixedKeys[] = {
    {"Wheel, drag, double click", "Zoom at the mouse, move, zoom to the thing"},
    {"+, -", "Zoom at the mouse; with the mouse elsewhere at what is pinned, else in the middle"},
};

}  // namespace

constinit const PanelFacts kLayoutPanel = {
    .context = ActionContext::layout,
    .title = "Layout",
    .where = "In the layout view",
    .action = "view.layout",
    .home = PanelHome::detail,
    .what = "How indices become addresses: the elements as the code sees them above, as memory has them below.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
