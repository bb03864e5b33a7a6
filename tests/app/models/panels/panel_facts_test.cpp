// The table of panels: what finds a panel (its context, its title, the action that shows it) finds one panel only.
#include "app/models/panels/panel_facts.h"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#include "app/models/actions/key_chord.h"

namespace dlscope::app {

TEST_CASE("every panel has a context, a title, a heading and an action of its own", "[panels]") {
  std::set<ActionContext> contexts;
  std::set<std::string> titles, headings, shown_by;
  for (const PanelFacts* panel : panels()) {
    INFO(panel->title);
    CHECK(contexts.insert(panel->context).second);
    CHECK(titles.insert(panel->title).second);
    CHECK(headings.insert(panel->where).second);
    CHECK(shown_by.insert(panel->action).second);
    CHECK(panel_of(panel->context) == panel);
    CHECK(panel_titled(panel->title) == panel);
    const auto id = action_named(panel->action);
    REQUIRE(id.has_value());
    CHECK(action(*id).shows_panel == panel->context);
  }
  CHECK(contexts.size() == kPanelCount);
  CHECK(panel_of(ActionContext::global) == nullptr);
}

TEST_CASE("a panel's own actions are its own, and no two of them have the same keys", "[panels]") {
  std::set<ActionId> owned;
  for (const PanelFacts* panel : panels()) {
    std::set<std::string> keys, fixed_keys;
    for (const Action& own : panel->actions) {
      INFO(panel->title << ": " << own.name);
      CHECK(action(own.id).context == panel->context);
      CHECK(owned.insert(own.id).second);
      const auto chords = parse_chords(own.keys);
      REQUIRE(chords.has_value());
      for (const KeyChord& chord : *chords) CHECK(keys.insert(chord_text(chord)).second);
    }
    for (const FixedKey& fixed : panel->fixed_keys) {
      INFO(panel->title << ": " << fixed.keys);
      CHECK(std::string(fixed.meaning).size() > 2);
      CHECK(fixed_keys.insert(fixed.keys).second);
    }
  }
}

}  // namespace dlscope::app
