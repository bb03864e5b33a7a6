// The rows: every panel once, in the order of their tabs where several share a place.
#include "app/models/actions/panel_facts.h"

#include <algorithm>

namespace dlscope::app {
namespace {

constexpr HelpTerm kEditorTerms[] = {
    {"new namespace", "A run begins without the names of the run before. Imported modules stay loaded, as in a notebook."},
    {"run the selection", "Runs in the names the last run left: try a line without starting over."},
};
constexpr HelpTerm kConsoleTerms[] = {
    {"names", "The console sees what the last run left, and what it assigns appears in the tables."},
    {"input()", "When the script waits for a line, the field says so and sends what you type."},
};
constexpr HelpTerm kTableTerms[] = {
    {"shape", "How many elements along each axis."},
    {"strides",
     "How far one step along each axis moves through memory, in elements. (4, 1) is row by row; 0 repeats the same "
     "elements, a negative number walks backwards."},
    {"C-contiguous", "The elements lie row by row without gaps. F-contiguous: column by column. A slice is often neither."},
    {"device", "Where the bytes lie: cpu, or a GPU and its number."},
    {"tree, groups", "The same rows under the branches of their names, or under the memory they share."},
    {"= other.name", "Another name of the same tensor: tied weights have several."},
    {"shares x", "Reaches bytes that x reaches too: writing to one changes the other."},
};
constexpr HelpTerm kInspectorTerms[] = {
    {"DLPack",
     "The agreement by which libraries hand tensors to each other without copying: one C struct, described here field by "
     "field."},
    {"capsule", "The Python object that carries that struct. Whoever takes the tensor renames it, so that it is taken once."},
    {"byte_offset", "The first element lies this many bytes behind `data`."},
    {"deleter", "The function that tells the owner that nobody needs the struct any more."},
    {"unknown", "The tensor does not say. An old capsule cannot say, for example, whether its bytes may be written."},
    {"refused", "The library would not hand the tensor over. Its own words stand there, with a way out where one is known."},
};
constexpr HelpTerm kMapTerms[] = {
    {"lane", "One address space, such as the memory of the process or of one GPU. Addresses grow to the right."},
    {"pale and solid",
     "Pale: from the first byte to the last. Solid: the bytes the tensor really reaches; a slice leaves holes."},
    {"true, compressed",
     "The scale. True: twice as wide is twice as many bytes. Compressed: small tensors are seen beside huge ones."},
    {"folded stretch", "Empty space between tensors, cut short and labelled with its true size."},
};
constexpr HelpTerm kSharingTerms[] = {
    {"identical, contains, overlaps", "How the two sets of bytes lie: the same, one within the other, some in common."},
    {"interleaved", "The address ranges meet but no byte is common, as with every other element of one array."},
    {"lowest common byte", "The proof: an address both reach, and the index by which each does."},
    {"unknown", "The question was too hard to decide exactly within its limit. It is never guessed."},
};
constexpr HelpTerm kValuesTerms[] = {
    {"live", "Read from the process at this moment; no code has run since the tensor was described."},
    {"not held", "Code runs or has run since: the memory may be another's by now. Hatched, and compared with nothing."},
    {"special value", "NaN, an infinity, a subnormal number, a bool that is neither 0 nor 1. Each has a colour and a sign."},
    {"sliders", "A tensor of more than two axes shows two of them. The others stand still at the index you choose."},
};
constexpr HelpTerm kLayoutTerms[] = {
    {"grid", "The elements in the order of their indices, as your code sees them."},
    {"tape", "The same elements in the order of their addresses, as memory has them. Equal colours are equal elements."},
    {"address formula",
     "data + byte_offset + index · stride · size of an element, axis by axis, with the numbers of the element "
     "in focus."},
    {"contiguous", "No gaps and in index order. Where that fails, the view names the axis at which it does."},
};

constexpr HelpTerm kStatisticsTerms[] = {
    {"sample",
     "About a million values from all over a large tensor, at once. What is rare may not be in it: the exact numbers follow."},
    {"±", "Of exact numbers: a bound on what rounding may have done. Of a sample: half the 95 % confidence interval."},
    {"subnormal", "Closer to zero than the smallest number of full precision. Many of them are slow, and a sign of underflow."},
    {"beside it",
     "Values far outside the bulk are counted beside the histogram, so that they do not push all others into one bar."},
    {"Go there", "Pins the element: every other view shows it."},
};

constexpr HelpTerm kStackTerms[] = {
    {"frame", "A function that was called and has not returned. The innermost stands above the one that called it."},
    {"chosen frame", "The console, completion and watches see its names. A click chooses another one."},
    {"library", "Frames of code that is not yours are dim, and folded where several follow one another."},
    {"watch", "An expression that is evaluated at each stop in the chosen frame, and never while code runs."},
};

constexpr HelpTerm kExchangeTerms[] = {
    {"capsule", "What a producer hands out and a consumer takes, once: taking renames it `used_...`."},
    {"SHARED, COPIED", "Decided on the bytes each side really reaches, not on pointers or on what a library promises."},
    {"write probe", "Changes one byte through the one, looks for it in the other, puts it back and compares a hash."},
    {"ledger", "Every copy that dlscope made or had a library make. Looking alone makes none."},
};

constexpr PanelFacts kPanels[] = {
    {.context = ActionContext::editor,
     .title = "Script",
     .where = "In the script editor",
     .show = ActionId::show_script,
     .shown = &ViewSwitches::script,
     .home = PanelHome::script,
     .what = "The script. Run takes all of it, as `python script.py` would, in a process of its own. An error marks its "
             "line; unsaved text survives a crash and a closed window.",
     .terms = kEditorTerms},
    {.context = ActionContext::console,
     .title = "Output",
     .where = "In the console",
     .show = ActionId::show_output,
     .shown = &ViewSwitches::output,
     .home = PanelHome::console,
     .what = "What the script prints, also from C code and child processes, and a line to type Python into, in the same "
             "interpreter.",
     .terms = kConsoleTerms},
    {.context = ActionContext::table,
     .title = "Tensors",
     .where = "In the tensor table",
     .show = ActionId::show_tensors,
     .shown = &ViewSwitches::tensors,
     .home = PanelHome::list,
     .what = "One row for every tensor that the names of the script reach, whichever library made it. Rows with the same "
             "colour share memory. After a run, new, changed, moved and gone tensors are marked.",
     .terms = kTableTerms},
    {.context = ActionContext::sharing,
     .title = "Sharing",
     .where = "In the sharing list",
     .show = ActionId::show_sharing,
     .shown = &ViewSwitches::sharing,
     .home = PanelHome::sharing,
     .what = "Every pair of tensors whose addresses meet, and whether they really share bytes: decided on the exact set "
             "of bytes each one reaches.",
     .terms = kSharingTerms},
    {.context = ActionContext::values,
     .title = "Values",
     .where = "In the values",
     .show = ActionId::show_values,
     .shown = &ViewSwitches::values,
     .home = PanelHome::detail,
     .what = "The numbers of the selected tensor, read from the script's memory as you look.",
     .terms = kValuesTerms},
    {.context = ActionContext::layout,
     .title = "Layout",
     .where = "In the layout view",
     .show = ActionId::show_layout,
     .shown = &ViewSwitches::layout,
     .home = PanelHome::detail,
     .what = "How indices become addresses: the elements as the code sees them above, as memory has them below.",
     .terms = kLayoutTerms},
    {.context = ActionContext::statistics,
     .title = "Statistics",
     .where = "In the statistics",
     .show = ActionId::show_statistics,
     .shown = &ViewSwitches::statistics,
     .home = PanelHome::detail,
     .what =
         "What the values of the selected tensor add up to: extremes, mean, NaN and infinities with the place of the first and "
         "the last, a histogram. Small tensors are read at once, large ones when you say so.",
     .terms = kStatisticsTerms},
    {.context = ActionContext::inspector,
     .title = "Inspector",
     .where = "In the inspector",
     .show = ActionId::show_inspector,
     .shown = &ViewSwitches::inspector,
     .home = PanelHome::inspector,
     .what = "The selected tensor as its library hands it over: every field with its address, its raw bytes and what "
             "they mean, then which protocols it offers and which names reach it.",
     .terms = kInspectorTerms},
    {.context = ActionContext::map,
     .title = "Memory",
     .where = "In the memory map",
     .show = ActionId::show_memory,
     .shown = &ViewSwitches::memory,
     .home = PanelHome::bottom,
     .what = "All memory that tensors reach, in address order. Bars are tensors; those that lie above one another share "
             "addresses.",
     .terms = kMapTerms},
    {.context = ActionContext::log,
     .title = "Log",
     .where = "In the log",
     .show = ActionId::show_log,
     .shown = &ViewSwitches::log,
     .home = PanelHome::console,
     .what = "What happened in this session: runs, what they changed, and every notice, also those that were dismissed.",
     .terms = {}},
    {.context = ActionContext::tasks,
     .title = "Tasks",
     .where = "In the tasks",
     .show = ActionId::show_tasks,
     .shown = &ViewSwitches::tasks,
     .home = PanelHome::console,
     .what = "Long work, of this window and of the script's process: how far it is, how long it may take, and how it ended. It "
             "goes on while you do something else, and can be cancelled.",
     .terms = {}},
    {.context = ActionContext::stack,
     .title = "Stack",
     .where = "In the stack",
     .show = ActionId::show_stack,
     .shown = &ViewSwitches::stack,
     .home = PanelHome::stack,
     .what = "Where the script stands at a stop: the functions that were called, innermost first, and expressions that are "
             "watched from stop to stop.",
     .terms = kStackTerms},
    {.context = ActionContext::exchange,
     .title = "Exchange",
     .where = "In the exchange view",
     .show = ActionId::show_exchange,
     .shown = &ViewSwitches::exchange,
     .home = PanelHome::sharing,
     .what = "Hands the selected tensor to another library and shows each call and what became of the memory; copies and converts it; "
             "proves a chain of hand-overs; lists every copy that was made.",
     .terms = kExchangeTerms},
};
static_assert(std::size(kPanels) + 1 == kActionContextCount);  // one for each context but `global`

}  // namespace

std::span<const PanelFacts> panels() { return kPanels; }

const PanelFacts* panel_of(ActionContext context) {
  const auto found = std::ranges::find(kPanels, context, &PanelFacts::context);
  return found == std::end(kPanels) ? nullptr : &*found;
}

const PanelFacts* panel_shown_by(bool ViewSwitches::*shown) {
  const auto found = std::ranges::find(kPanels, shown, &PanelFacts::shown);
  return found == std::end(kPanels) ? nullptr : &*found;
}

const PanelFacts* panel_titled(std::string_view title) {
  const auto found = std::ranges::find_if(kPanels, [&](const PanelFacts& panel) { return title == panel.title; });
  return found == std::end(kPanels) ? nullptr : &*found;
}

}  // namespace dlscope::app
