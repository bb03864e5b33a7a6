#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr Action of_values(ActionId id, const char* name, const char* title, const char* keys, const char* meaning) {
  return {.id = id, .name = name, .title = title, .keys = keys, .meaning = meaning, .refusal = no_selection};
}

const char* cannot_search(const ActionState& s) {
  if (const char* const why = needs_bytes(s)) return why;
  return s.of_file || s.host.is_up() || s.host.state() == HostState::crashed
             ? nullptr
             : "There is no process whose memory could be searched.";
}

constexpr HelpTerm kTerms[] = {
    {"live", "Read from the process at this moment; no code has run since the tensor was described."},
    {"not held",
     "Code is running or has run since: the memory may belong to something else by now. Hatched, and not compared with "
     "anything."},
    {"special value",
     "NaN, an infinity, a subnormal number, a bool that is neither 0 nor 1. Each has a colour and a sign; N steps over subnormals."},
    {"sliders", "A tensor of more than two axes shows two of them. The others stay at the index you choose."},
};

constexpr Action kActions[] = {
    {.id = values_go_to,
     .name = "values.go_to",
     .title = "Go to an index, an address or a name in the values, or search for a value",
     .keys = "Ctrl+G, Ctrl+L",
     .meaning = "Type 3, 4 or 0x5581… or a tensor's name; or = 1.5, = 1+2j, = 2024-02-29, = 'text': how many values are equal to it.",
     .refusal = no_tensors},
    {.id = values_search_special,
     .name = "values.search_special",
     .title = "Count NaN, infinite and subnormal values of the whole tensor",
     .keys = "Ctrl+Shift+N",
     .meaning = "As a task in the Python process, at the speed of memory; it can be cancelled.",
     .refusal = cannot_search,
     .command = make<command::SearchValues>},
    {.id = values_search_nan,
     .name = "values.search_nan",
     .title = "Count the NaN of the whole tensor",
     .refusal = cannot_search,
     .command = [](const ActionState&) -> Command {
       return command::SearchValues{.sought = core::SearchedValue::nan, .text = {}};
     }},
    of_values(values_next_special, "values.next_special", "Next special value", "N",
              "NaN, an infinity, a bool that is neither 0 nor 1; from the pin on. To the end, unless Escape stops it."),
    of_values(values_previous_special, "values.previous_special", "Previous special value", "Shift+N", ""),
    of_values(values_next_subnormal, "values.next_subnormal", "Next subnormal value", "",
              "Closer to zero than the smallest number of full precision; from the pin on."),
    of_values(values_copy, "values.copy", "Copy the selected values, else the one under the pin", "Ctrl+C", ""),
    of_values(values_select_all, "values.select_all", "Select all values", "Ctrl+A", ""),
    of_values(values_copy_python, "values.copy_python", "Copy the values as Python", "", "A nested list, every float exact."),
    of_values(values_copy_numpy, "values.copy_numpy", "Copy the values for NumPy", "", "np.array(…, dtype=…)"),
    of_values(values_copy_c, "values.copy_c", "Copy the values as C", "", "An initialiser in braces."),
    of_values(values_copy_csv, "values.copy_csv", "Copy the values as CSV", "", ""),
    of_values(values_copy_text, "values.copy_text", "Copy the values as text", "", ""),
    of_values(values_export_csv, "values.export_csv", "Export the slice that is shown as CSV", "",
              "All rows and columns of it, into the folder dlscope was started in."),
    of_values(values_export_npy, "values.export_npy", "Export the slice that is shown as .npy", "", ""),
    of_values(values_export_safetensors, "values.export_safetensors", "Export the slice that is shown as .safetensors", "", ""),
    of_values(values_larger, "values.larger", "Larger cells", "", "Ctrl+wheel over the values does the same."),
    of_values(values_smaller, "values.smaller", "Smaller cells", "", ""),
    of_values(values_normal, "values.normal", "Cells of normal size", "", ""),
};

constexpr FixedKey kFixedKeys[] = {
    {"Click; arrows; Page Up, Page Down", "Pin a value; move the pin; along a third axis"},
    {"Ctrl+arrows; Home, End; Ctrl+Home, Ctrl+End", "To the end of the axis; of the row; of the tensor"},
    {"Drag, Shift+click, Shift+arrows", "Select cells"},
    {"Wheel, Shift+wheel, Ctrl+wheel", "Scroll down, across; size of the cells"},
};

}  // namespace

constinit const PanelFacts kValuesPanel = {
    .context = ActionContext::values,
    .title = "Values",
    .where = "In the values",
    .action = "view.values",
    .home = PanelHome::detail,
    .what = "The numbers of the selected tensor, read from the script's memory as you look.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
