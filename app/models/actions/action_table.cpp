// The rows: every action once. Order within a menu is the order here.
#include "app/models/actions/actions.h"

namespace dlscope::app {
namespace {

using enum ActionId;
using Menu = ActionMenu;
using In = ActionContext;
using State = ActionState;

const char* cannot_run(const State& s) {
  if (s.host.can_run()) return nullptr;
  return s.host.state == HostState::absent ? "There is no Python here to run it." : "Something runs already. Stop it first.";
}
const char* cannot_stop(const State& s) { return s.host.can_stop() ? nullptr : "Nothing runs."; }
const char* cannot_scan(const State& s) { return s.host.state == HostState::idle ? nullptr : "Python is not idle."; }
const char* cannot_kill(const State& s) { return s.host.can_kill() ? nullptr : "There is no Python process."; }
const char* cannot_restart(const State& s) {
  return s.host.can_restart() ? nullptr : "No Python was found yet that could be restarted.";
}
const char* no_tensors(const State& s) { return s.has_tensors ? nullptr : "There are no tensors yet. Run a script first."; }
const char* cannot_let_go(const State& s) { return s.has_selection || s.has_pin ? nullptr : "Nothing is selected."; }

const char* no_selection(const State& s) { return s.has_selection ? nullptr : "Select a tensor first."; }

template <bool ViewSwitches::*kPanel>
bool is_shown(const State& s) {
  return s.show.*kPanel;
}
template <ThemeChoice kTheme>
bool is_theme(const State& s) {
  return s.theme == kTheme;
}
template <LayoutPreset kLayout>
bool is_layout(const State& s) {
  return s.layout == kLayout;
}
template <class Which>
Command make(const State&) {
  return Which{};
}
template <ThemeChoice kTheme>
Command make_theme(const State&) {
  return command::SetTheme{kTheme};
}
template <LayoutPreset kLayout>
Command make_layout(const State&) {
  return command::SetLayout{kLayout};
}

constexpr Action panel(ActionId id, const char* name, const char* title, bool ViewSwitches::*shows,
                       bool (*checked)(const State&)) {
  return {.id = id, .name = name, .title = title, .menu = Menu::view, .checked = checked, .shows = shows};
}

constexpr Action values_action(ActionId id, const char* name, const char* title, const char* keys, const char* meaning) {
  return {
      .id = id, .name = name, .title = title, .context = In::values, .keys = keys, .meaning = meaning, .refusal = no_selection};
}

constexpr Action kActions[] = {
    // --- file
    {.id = script_new, .name = "script.new", .title = "New script", .menu = Menu::file, .command = make<command::NewScript>},
    {.id = script_open, .name = "script.open", .title = "Open a script …", .menu = Menu::file, .keys = "Ctrl+O"},
    {.id = tour_open, .name = "tour.open", .title = "Open the tour", .menu = Menu::file, .command = make<command::OpenTour>},
    {.id = script_save,
     .name = "script.save",
     .title = "Save the script",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+S",
     .command = make<command::SaveScript>},
    {.id = script_save_as, .name = "script.save_as", .title = "Save the script as …", .menu = Menu::file, .keys = "Ctrl+Shift+S"},
    {.id = picture_save,
     .name = "picture.save",
     .title = "Save a picture of the window",
     .menu = Menu::file,
     .separated = true,
     .meaning = "As it is now, at its own size, as a PNG in the working folder.",
     .command = make<command::SavePicture>},
    {.id = report_save,
     .name = "report.save",
     .title = "Save a report",
     .menu = Menu::file,
     .meaning = "What the last look at the tensors found, as --report writes it, into the working folder.",
     .refusal = no_tensors,
     .command = make<command::SaveReport>},
    {.id = settings_sheet,
     .name = "settings",
     .title = "Settings",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+Comma",
     .meaning = "Theme, size, keys, which Python.",
     .shows = &ViewSwitches::settings},
    {.id = quit,
     .name = "quit",
     .title = "Quit",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+Q",
     .command = make<command::Quit>},
    // --- run
    {.id = run_script,
     .name = "run.script",
     .title = "Run the script",
     .menu = Menu::run,
     .keys = "F5",
     .meaning = "Runs the text of the editor in a new namespace; imported modules stay loaded.",
     .refusal = cannot_run,
     .command = make<command::RunScript>},
    {.id = run_selection,
     .name = "run.selection",
     .title = "Run the selection or the statement at the cursor",
     .menu = Menu::run,
     .context = In::editor,
     .keys = "Ctrl+Enter",
     .meaning = "In the names the last run left.",
     .refusal = cannot_run},
    {.id = run_stop,
     .name = "run.stop",
     .title = "Stop the script",
     .menu = Menu::run,
     .keys = "Shift+F5",
     .meaning = "Interrupts the script, as Ctrl+C does. Again to insist.",
     .refusal = cannot_stop,
     .command = make<command::StopScript>},
    {.id = rescan,
     .name = "tensors.rescan",
     .title = "Look again at the tensors",
     .menu = Menu::run,
     .separated = true,
     .refusal = cannot_scan,
     .command = make<command::Rescan>},
    {.id = output_clear,
     .name = "output.clear",
     .title = "Clear the output",
     .menu = Menu::run,
     .context = In::console,
     .keys = "Ctrl+L",
     .command = make<command::ClearOutput>},
    {.id = python_kill,
     .name = "python.kill",
     .title = "Kill Python",
     .menu = Menu::run,
     .separated = true,
     .meaning = "Ends the Python process at once. The text, the layout and the last tensors stay.",
     .refusal = cannot_kill,
     .command = make<command::KillHost>},
    {.id = python_restart,
     .name = "python.restart",
     .title = "Restart Python",
     .menu = Menu::run,
     .meaning = "A new Python process: nothing imported, no variables.",
     .refusal = cannot_restart,
     .command = make<command::RestartHost>},
    {.id = python_choose,
     .name = "python.choose",
     .title = "Choose Python …",
     .menu = Menu::run,
     .meaning = "Another interpreter or virtual environment. The script, the layout and the history stay.",
     .shows = &ViewSwitches::pythons},
    // --- view
    panel(show_script, "view.script", "Script", &ViewSwitches::script, is_shown<&ViewSwitches::script>),
    panel(show_output, "view.output", "Output", &ViewSwitches::output, is_shown<&ViewSwitches::output>),
    panel(show_tensors, "view.tensors", "Tensors", &ViewSwitches::tensors, is_shown<&ViewSwitches::tensors>),
    panel(show_inspector, "view.inspector", "Inspector", &ViewSwitches::inspector, is_shown<&ViewSwitches::inspector>),
    panel(show_memory, "view.memory", "Memory", &ViewSwitches::memory, is_shown<&ViewSwitches::memory>),
    panel(show_sharing, "view.sharing", "Sharing", &ViewSwitches::sharing, is_shown<&ViewSwitches::sharing>),
    panel(show_values, "view.values", "Values", &ViewSwitches::values, is_shown<&ViewSwitches::values>),
    panel(show_layout, "view.layout", "Layout", &ViewSwitches::layout, is_shown<&ViewSwitches::layout>),
    panel(show_log, "view.log", "Log", &ViewSwitches::log, is_shown<&ViewSwitches::log>),
    {.id = theme_dark,
     .name = "theme.dark",
     .title = "Dark",
     .menu = Menu::view,
     .separated = true,
     .checked = is_theme<ThemeChoice::dark>,
     .command = make_theme<ThemeChoice::dark>},
    {.id = theme_light,
     .name = "theme.light",
     .title = "Light",
     .menu = Menu::view,
     .checked = is_theme<ThemeChoice::light>,
     .command = make_theme<ThemeChoice::light>},
    {.id = scale_larger,
     .name = "scale.larger",
     .title = "Larger",
     .menu = Menu::view,
     .separated = true,
     .keys = "Ctrl+Plus",
     .repeats = true,
     .refusal = [](const State& s) { return s.scale < kMaxScale ? nullptr : "300 % is the largest."; },
     .command = [](const State& s) -> Command { return command::SetScale{scale_step(s.scale, 1)}; }},
    {.id = scale_smaller,
     .name = "scale.smaller",
     .title = "Smaller",
     .menu = Menu::view,
     .keys = "Ctrl+Minus",
     .repeats = true,
     .refusal = [](const State& s) { return s.scale > kMinScale ? nullptr : "100 % is the smallest."; },
     .command = [](const State& s) -> Command { return command::SetScale{scale_step(s.scale, -1)}; }},
    {.id = scale_normal,
     .name = "scale.normal",
     .title = "100 %",
     .menu = Menu::view,
     .keys = "Ctrl+0",
     .command = [](const State&) -> Command { return command::SetScale{1}; }},
    // --- layout
    {.id = layout_debug,
     .name = "layout.debug",
     .title = "Debug",
     .menu = Menu::layout,
     .keys = "Ctrl+1",
     .meaning = "Code left, values over tensors in the middle, the inspector right, memory below.",
     .checked = is_layout<LayoutPreset::debug>,
     .command = make_layout<LayoutPreset::debug>},
    {.id = layout_teach,
     .name = "layout.teach",
     .title = "Teach",
     .menu = Menu::layout,
     .keys = "Ctrl+2",
     .meaning = "What is read left, how one tensor lies in memory large in the middle.",
     .checked = is_layout<LayoutPreset::teach>,
     .command = make_layout<LayoutPreset::teach>},
    {.id = layout_verify,
     .name = "layout.verify",
     .title = "Verify",
     .menu = Menu::layout,
     .keys = "Ctrl+3",
     .meaning = "The table and who shares what in the middle, evidence right, what happened below.",
     .checked = is_layout<LayoutPreset::verify>,
     .command = make_layout<LayoutPreset::verify>},
    {.id = layout_reset,
     .name = "layout.reset",
     .title = "Reset this layout",
     .menu = Menu::layout,
     .separated = true,
     .command = [](const State& s) -> Command { return command::SetLayout{s.layout}; }},
    // --- help
    {.id = palette,
     .name = "palette",
     .title = "All actions …",
     .menu = Menu::help,
     .keys = "Ctrl+Shift+P",
     .meaning = "Type a few letters of what you want to do, or of a tensor's name."},
    {.id = go_to,
     .name = "go_to",
     .title = "Go to a tensor, an element or an address …",
     .menu = Menu::view,
     .keys = "Ctrl+G, Ctrl+L",
     .refusal = no_tensors},
    {.id = help_here, .name = "help.here", .title = "Help on what is under the mouse", .menu = Menu::help, .keys = "F1"},
    {.id = keys_sheet, .name = "help.keys", .title = "Keys", .menu = Menu::help, .keys = "?", .shows = &ViewSwitches::shortcuts},
    // --- the focus
    {.id = let_go,
     .name = "focus.let_go",
     .title = "Let go of the pin, then of the selection",
     .keys = "Escape",
     .refusal = cannot_let_go,
     .command = make<command::LetGo>},
    {.id = tensors_filter,
     .name = "tensors.filter",
     .title = "Filter the tensors",
     .menu = Menu::view,
     .separated = true,
     .keys = "Ctrl+F"},
    {.id = tensor_next,
     .name = "tensor.next",
     .title = "Select the next tensor",
     .keys = "Alt+Down",
     .repeats = true,
     .refusal = no_tensors},
    {.id = tensor_previous,
     .name = "tensor.previous",
     .title = "Select the previous tensor",
     .keys = "Alt+Up",
     .repeats = true,
     .refusal = no_tensors},
    // --- the script editor
    {.id = editor_find, .name = "editor.find", .title = "Find in the script", .context = In::editor, .keys = "Ctrl+F"},
    {.id = editor_replace,
     .name = "editor.replace",
     .title = "Find and replace in the script",
     .context = In::editor,
     .keys = "Ctrl+H"},
    {.id = editor_find_next,
     .name = "editor.find_next",
     .title = "Go to the next place found",
     .context = In::editor,
     .keys = "F3",
     .repeats = true},
    {.id = editor_find_previous,
     .name = "editor.find_previous",
     .title = "Go to the place found before",
     .context = In::editor,
     .keys = "Shift+F3",
     .repeats = true},
    {.id = editor_go_to_line,
     .name = "editor.go_to_line",
     .title = "Go to a line of the script",
     .context = In::editor,
     .keys = "Ctrl+G"},
    {.id = editor_comment,
     .name = "editor.comment",
     .title = "Comment the lines, or take the comments off",
     .context = In::editor,
     .keys = "Ctrl+/"},
    // --- the inspector
    {.id = inspector_copy,
     .name = "inspector.copy",
     .title = "Copy the value under the mouse, else the tensor's name",
     .context = In::inspector,
     .keys = "Ctrl+C"},
    {.id = inspector_copy_c,
     .name = "inspector.copy_c",
     .title = "Copy the struct as C",
     .context = In::inspector,
     .keys = "Ctrl+Shift+C"},
    // --- the values
    {.id = values_go_to,
     .name = "values.go_to",
     .title = "Go to an index, an address or a name in the values",
     .context = In::values,
     .keys = "Ctrl+G, Ctrl+L",
     .meaning = "Type 3, 4 or 0x5581… or a tensor's name.",
     .refusal = no_tensors},
    values_action(values_next_special, "values.next_special", "Next special value", "N",
                  "NaN, an infinity, a subnormal, a bool that is neither 0 nor 1; from the pin on."),
    values_action(values_previous_special, "values.previous_special", "Previous special value", "Shift+N", ""),
    values_action(values_copy, "values.copy", "Copy the selected values, else the one under the pin", "Ctrl+C", ""),
    values_action(values_select_all, "values.select_all", "Select all values", "Ctrl+A", ""),
    values_action(values_copy_python, "values.copy_python", "Copy the values as Python", "", "A nested list, every float exact."),
    values_action(values_copy_numpy, "values.copy_numpy", "Copy the values for NumPy", "", "np.array(…, dtype=…)"),
    values_action(values_copy_c, "values.copy_c", "Copy the values as C", "", "An initialiser in braces."),
    values_action(values_copy_csv, "values.copy_csv", "Copy the values as CSV", "", ""),
    values_action(values_copy_text, "values.copy_text", "Copy the values as text", "", ""),
    values_action(values_larger, "values.larger", "Larger cells", "", "Ctrl+wheel over the values does the same."),
    values_action(values_smaller, "values.smaller", "Smaller cells", "", ""),
    values_action(values_normal, "values.normal", "Cells of normal size", "", ""),
    // --- the memory map
    {.id = map_fit, .name = "map.fit", .title = "Fit the memory map", .context = In::map, .keys = "F", .refusal = no_tensors},
    {.id = map_one_to_one,
     .name = "map.one_to_one",
     .title = "One byte per pixel in the memory map, under the mouse",
     .context = In::map,
     .keys = "0",
     .refusal = no_tensors},
    // --- the layout view
    {.id = layout_view_fit,
     .name = "layout_view.fit",
     .title = "Fit the grid or the tape",
     .context = In::layout,
     .keys = "F",
     .meaning = "The one under the mouse, else both. Where the memory shared is far larger, F again shows all of it.",
     .refusal = no_tensors},
    {.id = layout_view_natural,
     .name = "layout_view.natural",
     .title = "Grid or tape at 1:1",
     .context = In::layout,
     .keys = "0",
     .meaning = "Cells as large as they can be read.",
     .refusal = no_tensors},
    {.id = layout_view_colour,
     .name = "layout_view.colour",
     .title = "Colour by address or by index order",
     .context = In::layout,
     .refusal = no_tensors},
    {.id = layout_view_others,
     .name = "layout_view.others",
     .title = "Show who shares the memory below the tape",
     .context = In::layout,
     .refusal = no_tensors},
};

constexpr FixedKey kFixedKeys[] = {
    {In::values, "Click; arrows; Page Up, Page Down", "Pin a value; move the pin; along a third axis"},
    {In::values, "Ctrl+arrows; Home, End; Ctrl+Home, Ctrl+End", "To the end of the axis; of the row; of the tensor"},
    {In::values, "Drag, Shift+click, Shift+arrows", "Select cells"},
    {In::values, "Wheel, Shift+wheel, Ctrl+wheel", "Scroll down, across; size of the cells"},
    {In::table, "Up, Down, Page Up, Page Down, Home, End", "Move through the tensors"},
    {In::editor, "Enter, Tab, Shift+Tab, Backspace", "Indent and take back as the code asks"},
    {In::editor, "Ctrl+Z, Ctrl+Y, Alt+Up, Alt+Down", "Undo, redo, move lines"},
    {In::console, "Enter, Shift+Enter", "Run when complete, else a new line; always a new line"},
    {In::console, "Up, Down, Ctrl+R", "What was typed before; what contains the words typed"},
    {In::console, "Tab", "Complete names, attributes and keys"},
    {In::console, "Ctrl+C", "Copy the selection; without one, stop the script"},
    {In::table, "Ctrl+click", "Hold a second tensor against the selected one"},
    {In::table, "Left, Right, Ctrl+Left, Ctrl+Right", "Fold or open a memory group, or all of them"},
    {In::table, "Ctrl+C", "Copy the row, or both rows"},
    {In::map, "Wheel, drag, double click", "Zoom at the mouse, move, zoom to the thing"},
    {In::layout, "Wheel, drag, double click", "Zoom at the mouse, move, zoom to the thing"},
};

}  // namespace

std::span<const Action> actions() { return kActions; }
std::span<const FixedKey> fixed_keys() { return kFixedKeys; }

}  // namespace dlscope::app
