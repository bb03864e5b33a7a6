// Actions: everything a person can ask for, each once: menus, keys, the palette and the key sheet are made from the table in
// action_table.cpp, which joins the rows of the menus (*_actions.cpp) and those of the panels (app/models/panels).
//
// To add one: an enumerator in action_id.h, a row in one of those files, and where it is done: a row with `command` does itself; for any
// other, the panel asks `context.asked(ActionId::...)` while it is drawn, whether it came by key, menu or palette.
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

// What decides whether an action makes sense now.
struct ActionState {
  const HostSession& host;
  const ViewSwitches& show;
  bool has_tensors = false;
  bool of_file = false;  // they are those of a file
  Moment moment = {};    // when they were seen, and what has happened since
  std::uint64_t earlier_moment = 0, later_moment = 0;  // kept ones beside the one that is shown; 0: there is none
  bool has_selection = false;
  Remember remembered = Remember::no;  // the selected tensor, from here on
  bool has_bytes_then = false;         // of a moment that is looked back at: those of the selected tensor were remembered
  bool has_pin = false;
  bool has_breakpoints = false;
  bool stop_on_raise = false;
  float scale = 1;
  ThemeChoice theme{};
  LayoutPreset layout{};
};

struct Action {
  ActionId id{};
  const char* name = "";   // stable, in keys.json and tests: "run.script"
  const char* title = "";  // plain words: "Run the script"
  ActionMenu menu = ActionMenu::none;
  bool separated = false;  // a line above it in the menu
  ActionContext context = ActionContext::global;
  const char* keys = "";     // as delivered: "Ctrl+G, Ctrl+L"
  bool repeats = false;      // held down, it goes on
  const char* meaning = "";  // a sentence for the tooltip; "": the title says it all
  // Why it makes no sense now, and what would help; nullptr: it does. No function: always.
  const char* (*refusal)(const ActionState&) = nullptr;
  bool (*checked)(const ActionState&) = nullptr;      // has a tick in menus
  Command (*command)(const ActionState&) = nullptr;   // what it does, when that is a command
  bool ViewSwitches::*shows = nullptr;               // or the sheet it shows and hides
  ActionContext shows_panel = ActionContext::global;  // or the panel
  // Never both make sense: they may have the same keys, which reach the one that does.
  ActionId alternates_with = ActionId::count;
};

[[nodiscard]] std::span<const Action> actions();  // in the order of menus and sheet
[[nodiscard]] const Action& action(ActionId id);
[[nodiscard]] std::optional<ActionId> action_named(std::string_view name);
[[nodiscard]] bool is_ticked(const Action& action, const ActionState& state);          // in menus
[[nodiscard]] const char* refusal_of(const Action& action, const ActionState& state);  // nullptr: can be done

void push_command(const Action& action, const ActionState& state, Commands& commands);  // when it is one

[[nodiscard]] const char* context_title(ActionContext context);  // "In the script editor"
[[nodiscard]] const char* menu_title(ActionMenu menu);           // "File"

// What was asked for in this frame. Filled before the panels are drawn; what comes later counts for the next frame.
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
