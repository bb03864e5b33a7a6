// The actions of the menus View, Layout and Help, and those that move the focus.
#include "app/models/actions/action_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;
using Menu = ActionMenu;
using State = ActionState;

bool looks_back(const State& s) { return s.moment.since == Since::looked_again; }
const char* cannot_deselect(const State& s) {
  return s.has_selection || s.has_pin || looks_back(s) ? nullptr : "Nothing is selected.";
}

template <ThemeChoice kTheme>
bool is_theme(const State& s) {
  return s.theme == kTheme;
}
template <LayoutPreset kLayout>
bool is_layout(const State& s) {
  return s.layout == kLayout;
}
template <ThemeChoice kTheme>
Command make_theme(const State&) {
  return command::SetTheme{kTheme};
}
template <LayoutPreset kLayout>
Command make_layout(const State&) {
  return command::SetLayout{kLayout};
}

constexpr Action kActions[] = {
    // --- view
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
     .meaning = "Code left, the layout of one tensor large in the middle.",
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
    {.id = deselect,
     .name = "focus.deselect",
     .title = "Deselect: cells, then the pin, then the comparison, then the past moment",
     .keys = "Escape",
     .refusal = cannot_deselect,
     .command = make<command::Deselect>},
    {.id = history_earlier,
     .name = "history.earlier",
     .title = "Look back one moment",
     .menu = Menu::view,
     .separated = true,
     .keys = "Alt+Left",
     .repeats = true,
     .meaning = "Table, map, sharing and inspector as they were in the snapshot before. Nothing of the past is read or asked.",
     .refusal = [](const State& s) { return s.earlier_moment != 0 ? nullptr : "No earlier moment is kept."; },
     .command = [](const State& s) -> Command { return command::ShowMoment{s.earlier_moment}; }},
    {.id = history_later,
     .name = "history.later",
     .title = "One moment later",
     .menu = Menu::view,
     .keys = "Alt+Right",
     .repeats = true,
     .refusal = [](const State& s) { return s.later_moment != 0 ? nullptr : "This is the newest snapshot."; },
     .command = [](const State& s) -> Command { return command::ShowMoment{s.later_moment}; }},
    {.id = history_now,
     .name = "history.now",
     .title = "Back to now",
     .menu = Menu::view,
     .keys = "Alt+End",
     .meaning = "From the moment you look back at to the newest snapshot.",
     .refusal = [](const State& s) { return looks_back(s) ? nullptr : "This is the newest snapshot."; },
     .command = make<command::ShowMoment>},
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
};

}  // namespace

std::span<const Action> view_actions() { return kActions; }

}  // namespace dlscope::app
