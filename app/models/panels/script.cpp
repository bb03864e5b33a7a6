#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"new namespace", "A run begins without the names of the run before. Imported modules stay loaded, as in a notebook."},
    {"run the selection", "Runs in the names the last run left: try a line without starting over."},
};

constexpr Action kActions[] = {
    {.id = editor_find, .name = "editor.find", .title = "Find in the script", .keys = "Ctrl+F"},
    {.id = editor_replace, .name = "editor.replace", .title = "Find and replace in the script", .keys = "Ctrl+H"},
    {.id = editor_find_next, .name = "editor.find_next", .title = "Go to the next place found", .keys = "F3", .repeats = true},
    {.id = editor_find_previous,
     .name = "editor.find_previous",
     .title = "Go to the place found before",
     .keys = "Shift+F3",
     .repeats = true},
    {.id = editor_go_to_line, .name = "editor.go_to_line", .title = "Go to a line of the script", .keys = "Ctrl+G"},
    {.id = editor_comment, .name = "editor.comment", .title = "Comment the lines, or take the comments off", .keys = "Ctrl+/"},
    {.id = editor_line_up, .name = "editor.line_up", .title = "Move the lines up", .keys = "Alt+Up", .repeats = true},
    {.id = editor_line_down, .name = "editor.line_down", .title = "Move the lines down", .keys = "Alt+Down", .repeats = true},
};

constexpr FixedKey kFixedKeys[] = {
    {"Enter, Tab, Shift+Tab, Backspace", "Indent and take back as the code asks"},
    {"Ctrl+Z, Ctrl+Y", "Undo, redo"},
};

}  // namespace

constinit const PanelFacts kScriptPanel = {
    .context = ActionContext::script,
    .title = "Script",
    .where = "In the script editor",
    .action = "view.script",
    .home = PanelHome::script,
    .what =
        "The script. Run takes all of it, as `python script.py` would, in a process of its own. An error marks its "
        "line; unsaved text survives a crash and a closed window.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
