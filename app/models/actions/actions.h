// Actions: everything a person can ask for. Menus, keys, the palette and the key sheet are all made from the one table in
// action_table.cpp, which joins the rows of the menus (*_actions.cpp) and those of the panels (app/models/panels).
//
// To add an action: an enumerator in action_id.h, a row in one of those files, and its implementation. A row with `command` needs
// no more; for any other, the panel checks `context.asked(ActionId::...)` while it is drawn, whether it came by key, menu or
// palette.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "app/models/actions/action_context.h"
#include "app/models/actions/action_id.h"
#include "app/models/actions/commands.h"
#include "app/models/actions/key_chord.h"
#include "app/models/actions/view_options.h"
#include "app/models/actions/view_switches.h"
#include "app/models/host/host_session.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

enum class ActionMenu : std::uint8_t { none, file, edit, run, view, layout, help };

// What decides whether an action is possible now.
struct ActionState {
  const HostSession& host;
  const ViewSwitches& show;
  bool has_tensors = false;
  bool of_file = false;  // the tensors are those of a file
  Moment moment = {};    // of the shown snapshot, and what has happened since
  std::uint64_t earlier_moment = 0, later_moment = 0;  // the kept moments before and after the shown one; 0: none
  bool has_selection = false;
  Remember remembered = Remember::no;  // whether and how the selected tensor is remembered from here on
  bool has_bytes_then = false;         // a past moment is shown, and the selected tensor's bytes were remembered
  bool has_pin = false;
  bool has_breakpoints = false;
  bool stop_on_raise = false, stop_on_uncaught = false;
  float scale = 1;
  ThemeChoice theme{};
  LayoutPreset layout{};
};

struct Action {
  ActionId id{};
  const char* name = "";   // stable, used in keys.json and tests: "run.script"
  const char* title = "";  // shown to people: "Run the script"
  ActionMenu menu = ActionMenu::none;
  bool separated = false;  // a separator above it in the menu
  ActionContext context = ActionContext::global;
  const char* keys = "";     // by default: "Ctrl+G, Ctrl+L"
  bool repeats = false;      // repeated while the keys are held down
  const char* meaning = "";  // a sentence for the tooltip; "": the title is enough
  // Why it is not possible now, and what would help; nullptr: it is. Null: always possible.
  const char* (*refusal)(const ActionState&) = nullptr;
  bool (*checked)(const ActionState&) = nullptr;      // whether it has a tick in menus
  Command (*command)(const ActionState&) = nullptr;   // the command to push, if it is one
  bool ViewSwitches::*shows = nullptr;               // or the sheet it shows and hides
  ActionContext shows_panel = ActionContext::global;  // or the panel
  // An action that is never possible at the same time as this one: both may have the same keys.
  ActionId alternates_with = ActionId::count;
};

[[nodiscard]] std::span<const Action> actions();  // in the order of menus and sheet
[[nodiscard]] const Action& action(ActionId id);
[[nodiscard]] std::optional<ActionId> action_named(std::string_view name);
[[nodiscard]] bool is_ticked(const Action& action, const ActionState& state);          // for menus
[[nodiscard]] const char* refusal_of(const Action& action, const ActionState& state);  // nullptr: it is possible

void push_command(const Action& action, const ActionState& state, Commands& commands);  // if it has a command

[[nodiscard]] const char* context_title(ActionContext context);  // "In the script editor"
[[nodiscard]] const char* menu_title(ActionMenu menu);           // "File"

// The actions asked for in this frame. Filled before the panels are drawn; later requests count for the next frame.
class AskedActions {
 public:
  void ask_now(ActionId id) { now_.set(static_cast<std::size_t>(id)); }
  void ask_next(ActionId id) { next_.set(static_cast<std::size_t>(id)); }
  void drop(ActionId id) { now_.reset(static_cast<std::size_t>(id)); }
  void begin_frame() {
    now_ = next_;
    next_.reset();
  }
  [[nodiscard]] bool asked(ActionId id) const { return now_.test(static_cast<std::size_t>(id)); }
  [[nodiscard]] bool any() const { return now_.any(); }

 private:
  std::bitset<kActionCount> now_, next_;
};

}  // namespace dlscope::app
