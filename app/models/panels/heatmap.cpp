#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"sample",
     "A few values of each pixel, at once, whatever the tensor's size. What is rare may not be in it: a lone NaN is found when "
     "all values are read."},
    {"computed on all values", "Every value was read: a NaN or an infinity is drawn wherever one is, at every zoom."},
    {"axes",
     "Two axes run down and across, or several as tiles. Each of the others is fixed at one index, or gives its mean, min or "
     "max: of several the last one first."},
    {"as an image",
     "An axis of 3 or 4 holds red, green, blue and alpha. What is black and white is said below the picture; a dot that stands "
     "for several pixels is their mean in each channel."},
    {"range",
     "What the ends of the colours stand for: all that is drawn at this zoom, what is in view, percentiles of it, all values of "
     "the tensor or percentiles of them, or two numbers."},
    {"asinh", "Even near zero and logarithmic far from it, on both sides: small numbers stay apart beside large ones."},
};

constexpr Action kActions[] = {
    {.id = heatmap_fit, .name = "heatmap.fit", .title = "Fit the heat map", .keys = "F", .refusal = no_selection},
    {.id = heatmap_natural,
     .name = "heatmap.natural",
     .title = "Cells of the heat map as large as numbers",
     .keys = "0",
     .meaning = "Where the mouse is; at the pinned value where it is elsewhere.",
     .refusal = no_selection},
    {.id = heatmap_next_special,
     .name = "heatmap.next_special",
     .title = "Next special value in the heat map",
     .keys = "N",
     .meaning = "NaN, an infinity, a bool that is neither 0 nor 1; from the pin on, in the order of the indices.",
     .refusal = no_selection},
    {.id = heatmap_previous_special,
     .name = "heatmap.previous_special",
     .title = "Previous special value in the heat map",
     .keys = "Shift+N",
     .refusal = no_selection},
    {.id = heatmap_as_image,
     .name = "heatmap.as_image",
     .title = "Heat map as an image, or as colours again",
     .keys = "I",
     .meaning = "Where an axis of 3 or 4 may hold the channels.",
     .refusal = no_selection},
    {.id = heatmap_read_all,
     .name = "heatmap.read_all",
     .title = "Read all values for the heat map",
     .meaning = "Where it shows a sample: as a task in the Python process; it can be cancelled.",
     .refusal = needs_bytes},
};

constexpr FixedKey kFixedKeys[] = {
    {"Wheel, drag, double click", "Zoom at the mouse, move, zoom to the numbers"},
    {"Click; arrows; Page Up, Page Down", "Pin a value; move the pin; along a third axis"},
    {"+, -", "Zoom at the mouse; with the mouse elsewhere at what is pinned, else in the middle"},
};

}  // namespace

constinit const PanelFacts kHeatmapPanel = {
    .context = ActionContext::heatmap,
    .title = "Heat map",
    .where = "In the heat map",
    .action = "view.heatmap",
    .home = PanelHome::detail,
    .what =
        "The values of the selected tensor as colours, from the whole of it to the numbers in its cells. NaN and infinities have "
        "colours of their own and are seen however small they are.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
