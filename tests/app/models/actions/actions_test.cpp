// The table of actions, chords as text, and which keys reach what.
#include "app/models/actions/actions.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "app/models/actions/key_hints.h"
#include "app/models/actions/keymap.h"
#include "app/models/actions/view_help.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/panels/panel_facts.h"

namespace dlscope::app {
namespace {

KeyChord chord(std::string_view text) {
  const auto parsed = parse_chord(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

}  // namespace

TEST_CASE("every action has one row, a name and a title of its own", "[actions]") {
  std::set<ActionId> ids;
  std::set<std::string> names, titles;
  for (const Action& row : actions()) {
    INFO(row.name);
    CHECK(ids.insert(row.id).second);
    CHECK(names.insert(row.name).second);
    CHECK(titles.insert(row.title).second);
    CHECK(std::string(row.title).size() > 2);
    CHECK(action_named(row.name) == row.id);
    CHECK(&action(row.id) == &row);
  }
  CHECK(ids.size() == kActionCount);
  CHECK_FALSE(action_named("no such action").has_value());
}

TEST_CASE("the keys as delivered can be read and do not collide", "[actions]") {
  for (const Action& row : actions()) {
    INFO(row.name << ": " << row.keys);
    const auto chords = parse_chords(row.keys);
    REQUIRE(chords.has_value());
    CHECK(chords_text(*chords) == row.keys);
  }
  const Keymap keys;
  for (const KeyConflict& conflict : keys.conflicts()) FAIL(conflict_text(conflict));
}

TEST_CASE("chords are read in any spelling and written in one", "[actions]") {
  CHECK(chord_text(chord("ctrl + SHIFT+p")) == "Ctrl+Shift+P");
  CHECK(chord_text(chord("Control++")) == "Ctrl+Plus");
  CHECK(chord_text(chord("+")) == "Plus");
  CHECK(chord_text(chord("Alt+-")) == "Alt+Minus");
  CHECK(chord_text(chord("shift+pgdn")) == "Shift+Page Down");
  CHECK(chord_text(chord("F11")) == "F11");
  CHECK(chord("?") == KeyChord{.key = Key::question});
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    const KeyChord made{.key = static_cast<Key>(i), .ctrl = i % 2 == 0, .shift = i % 3 == 0, .alt = i % 5 == 0};
    INFO(chord_text(made));
    CHECK(parse_chord(chord_text(made)) == made);
  }
  for (const char* wrong : {"", "Ctrl", "Ctrl+", "Hyper+X", "Ctrl+Ctrl+X", "F13", "AB", "Ctrl+\xff", "++"}) {
    INFO(wrong);
    CHECK_FALSE(parse_chord(wrong).has_value());
  }
  CHECK(parse_chords("Ctrl+G, Ctrl+L")->size() == 2);
  CHECK(parse_chords("")->empty());
  CHECK_FALSE(parse_chords("Ctrl+G, nonsense").has_value());
  CHECK(chords_text(*parse_chords("Ctrl+,, F1")) == "Ctrl+Comma, F1");
}

TEST_CASE("keys that mean text are told from keys that do not", "[actions]") {
  for (const char* text : {"N", "Shift+N", "?", "Escape", "Enter", "Up", "Ctrl+C", "Ctrl+V", "Ctrl+Left", "Ctrl+Backspace"}) {
    INFO(text);
    CHECK(chord(text).means_text());
  }
  for (const char* command : {"F5", "Shift+F5", "Ctrl+Enter", "Ctrl+F", "Alt+Down", "Ctrl+Shift+P"}) {
    INFO(command);
    CHECK_FALSE(chord(command).means_text());
  }
}

TEST_CASE("a key can be changed, a collision is named, and everything comes back", "[actions]") {
  Keymap keys;
  CHECK(keys.text(ActionId::run_script) == "F5");
  keys.bind(ActionId::run_script, *parse_chords("Ctrl+R, F7"));
  CHECK(keys.text(ActionId::run_script) == "Ctrl+R, F7");
  CHECK(keys.first(ActionId::run_script) == "Ctrl+R");
  CHECK(keys.changed(ActionId::run_script));
  CHECK(keys.conflicts().empty());
  CHECK(keys.taken_by(chord("Ctrl+S"), ActionId::run_script) == ActionId::script_save);
  keys.bind(ActionId::run_script, *parse_chords("Ctrl+S"));
  REQUIRE(keys.conflicts().size() == 1);
  CHECK(conflict_text(keys.conflicts()[0]) ==
        "Ctrl+S is set for \"Save the script\" and for \"Run the script\"; only the first is reached.");
  // The same keys in a panel of their own are no collision: the panel comes first.
  CHECK_FALSE(keys.taken_by(chord("Ctrl+F"), ActionId::run_selection) == ActionId::tensors_filter);
  keys.bind(ActionId::run_script, {});
  CHECK(keys.text(ActionId::run_script).empty());
  keys.reset(ActionId::run_script);
  CHECK(keys.text(ActionId::run_script) == "F5");
  CHECK_FALSE(keys.changed(ActionId::run_script));
}

TEST_CASE("Run and Continue have one key, since never both make sense", "[actions]") {
  Keymap keys;
  CHECK(keys.text(ActionId::debug_continue) == keys.text(ActionId::run_script));
  CHECK(keys.conflicts().empty());
  CHECK_FALSE(keys.taken_by(chord("F5"), ActionId::run_script).has_value());
  CHECK_FALSE(keys.taken_by(chord("F5"), ActionId::debug_continue).has_value());
  for (const Action& row : actions()) {
    if (row.alternates_with == ActionId::count) continue;
    INFO(row.name);
    CHECK(action(row.alternates_with).alternates_with == row.id);
  }
}

TEST_CASE("a sentence that names keys names those that are set", "[actions]") {
  Keymap keys;
  CHECK(with_keys(keys, ActionId::run_script, "runs it.") == "F5: runs it.");
  CHECK(keys_or_title(keys, ActionId::deselect) == "Escape");
  keys.bind(ActionId::run_script, {chord("F9")});
  keys.bind(ActionId::deselect, {});
  CHECK(with_keys(keys, ActionId::run_script, "runs it.") == "F9: runs it.");
  CHECK(with_keys(keys, ActionId::deselect, "runs it.") == "Runs it.");
  CHECK(keys_or_title(keys, ActionId::deselect) == "\"Deselect: cells, then the pin, then the comparison, then the past moment\"");
}

TEST_CASE("every panel has its row: a context, a title and an action of its own", "[actions]") {
  for (const PanelFacts* panel : panels()) {
    CHECK(panel_of(panel->context) == panel);
    CHECK(panel_titled(panel->title) == panel);
    const Action& shows = action(show_panel(panel->context));
    CHECK(shows.shows_panel == panel->context);
    CHECK(std::string(shows.name) == panel->action);
    CHECK(std::string(shows.title) == panel->title);
    CHECK(std::string(view_help(panel->context).what) == panel->what);
    CHECK(std::string(context_title(panel->context)) == panel->where);
    for (const Action& own : panel->actions) CHECK(action(own.id).context == panel->context);
  }
  CHECK(panel_of(ActionContext::global) == nullptr);
  CHECK(std::string(context_title(ActionContext::global)) == "Everywhere");
}

// Where nobody types, keys that mean text reach the panel and the action alike; the panel asks who has the keyboard.
TEST_CASE("no key that a panel promises is taken by an action for everywhere", "[actions]") {
  const Keymap keys;
  for (const PanelFacts* panel : panels()) {
    for (const FixedKey& row : panel->fixed_keys) {
      std::string_view left = row.keys;
      while (!left.empty()) {
        const std::size_t end = std::min(left.find_first_of(",;"), left.size());
        const auto fixed = parse_chord(left.substr(0, end));  // nullopt: the mouse, "arrows"
        left.remove_prefix(std::min(end + 1, left.size()));
        if (!fixed || fixed->means_text()) continue;
        for (const Action& each : actions()) {
          INFO(panel->title << ": " << row.keys << ", " << each.name);
          const bool reaches = each.context == ActionContext::global || each.context == panel->context;
          CHECK_FALSE((reaches && std::ranges::count(keys.chords(each.id), *fixed) > 0));
        }
      }
    }
  }
}

TEST_CASE("an action says why it makes no sense now", "[actions]") {
  HostSession host;
  ViewSwitches show;
  ActionState state{.host = host, .show = show};
  static_cast<void>(host.apply(session_event::Ready{}));
  static_cast<void>(host.apply(session_event::ScanAsked{}));
  CHECK(std::string(refusal_of(action(ActionId::run_script), state)) == "Something is running already. Stop it first.");
  CHECK(refusal_of(action(ActionId::run_stop), state) == nullptr);
  static_cast<void>(host.apply(session_event::ScanFinished{1}));
  CHECK(refusal_of(action(ActionId::run_script), state) == nullptr);
  CHECK(std::string(refusal_of(action(ActionId::run_stop), state)) == "Nothing is running.");
  state.scale = kMaxScale;
  CHECK(refusal_of(action(ActionId::scale_larger), state) != nullptr);
  CHECK(refusal_of(action(ActionId::scale_smaller), state) == nullptr);
}

TEST_CASE("what is asked for after the panels were drawn counts for the next frame", "[actions]") {
  AskedActions asked;
  asked.ask_next(ActionId::quit);
  CHECK_FALSE(asked.asked(ActionId::quit));
  asked.begin_frame();
  CHECK(asked.asked(ActionId::quit));
  asked.begin_frame();
  CHECK_FALSE(asked.any());
}

}  // namespace dlscope::app
