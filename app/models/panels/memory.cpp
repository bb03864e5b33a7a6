#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"lane", "One address space, such as the memory of the process or of one GPU. Addresses grow to the right."},
    {"pale and solid",
     "Pale: from the first byte to the last. Solid: the bytes the tensor really reaches; a slice leaves holes."},
    {"true, compressed",
     "The scale. True: twice as wide is twice as many bytes. Compressed: small tensors are seen beside huge ones."},
    {"folded stretch", "Empty space between tensors, cut short and labelled with its true size."},
};

constexpr Action kActions[] = {
    {.id = map_fit, .name = "map.fit", .title = "Fit the memory map", .keys = "F", .refusal = no_tensors},
    {.id = map_one_to_one,
     .name = "map.one_to_one",
     .title = "One byte per pixel in the memory map",
     .keys = "0",
     .meaning = "At the mouse; with the mouse elsewhere at the pinned bytes, else in the middle.",
     .refusal = no_tensors},
};

constexpr FixedKey kFixedKeys[] = {
    {"Wheel, drag, double click", "Zoom at the mouse, move, zoom to the thing"},
    {"+, -", "Zoom at the mouse; with the mouse elsewhere at what is pinned, else in the middle"},
};

}  // namespace

constinit const PanelFacts kMemoryPanel = {
    .context = ActionContext::memory,
    .title = "Memory",
    .where = "In the memory map",
    .action = "view.memory",
    .home = PanelHome::bottom,
    .what =
        "All memory that tensors reach, in address order. Bars are tensors; those that lie above one another share "
        "addresses. Hatched with a border: kept alive by the tensors of that colour, but named by none.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
