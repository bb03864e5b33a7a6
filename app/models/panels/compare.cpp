#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"bit-equal", "The same dtype, shape and bits. Then both have the same hash, whatever their strides."},
    {"ULP", "Units in the last place: how many numbers of the dtype lie between the two, and one."},
    {"tolerance", "A and B agree where |A - B| is at most absolute + relative · |B|, as numpy.isclose has it."},
    {"NaN", "Equals NaN here, and is counted apart. 0 and -0 are equal values with different bits."},
};

constexpr Action kActions[] = {
    {.id = compare_values,
     .name = "compare.values",
     .title = "Compare the values of A and B",
     .keys = "Ctrl+Enter",
     .meaning = "Select A, then Ctrl+click B.",
     .refusal = needs_bytes},
    {.id = compare_next,
     .name = "compare.next",
     .title = "Next value that differs",
     .keys = "N",
     .meaning = "From the pinned element on, in the order of the indices.",
     .refusal = no_selection},
    {.id = compare_previous,
     .name = "compare.previous",
     .title = "Previous value that differs",
     .keys = "Shift+N",
     .refusal = no_selection},
    {.id = compare_first, .name = "compare.first", .title = "Go to the first value that differs", .refusal = no_selection},
    {.id = compare_fit,
     .name = "compare.fit",
     .title = "Fit the pictures of the comparison",
     .keys = "F",
     .refusal = no_selection},
    {.id = compare_natural,
     .name = "compare.natural",
     .title = "Cells of the comparison as large as numbers",
     .keys = "0",
     .meaning = "Where the mouse is; at the pinned value where it is elsewhere.",
     .refusal = no_selection},
    {.id = compare_remembered,
     .name = "compare.remembered",
     .title = "Compare with an earlier moment",
     .meaning = "The selected tensor with its remembered bytes of the moment before the one that is shown.",
     .refusal = needs_bytes,
     .command = [](const ActionState&) -> Command { return command::CompareWithMoment{.newest_before = true}; }},
    {.id = compare_file,
     .name = "compare.file",
     .title = "Compare with a tensor of a file",
     .meaning = "The selected tensor with one of a .npy, .npz or .safetensors file: an expected result, a checkpoint.",
     .refusal = needs_bytes},
};

constexpr FixedKey kFixedKeys[] = {
    {"Wheel, drag, double click", "Zoom the pictures at the mouse, move them, zoom to the numbers"},
    {"+, -", "Zoom at the mouse; with the mouse elsewhere at what is pinned, else in the middle"},
    {"B, held", "B is shown in place of A"},
    {"Click; arrows; Page Up, Page Down", "Pin a value; move the pin; along a third axis"},
};

}  // namespace

constinit const PanelFacts kComparePanel = {
    .context = ActionContext::compare,
    .title = "Compare",
    .where = "In the comparison",
    .action = "view.compare",
    .home = PanelHome::exchange,
    .what =
        "Two tensors of equal shape, value by value, whatever their libraries, dtypes and strides: A is the selected one, B the "
        "one chosen by Ctrl+click, or one of a file.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
