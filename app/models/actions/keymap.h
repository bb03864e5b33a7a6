// Keymap: the keys of each action: the defaults and a person's changes. A conflicting change is reported, never silently refused.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/actions/actions.h"

namespace dlscope::app {

// Two actions with the same keys in the same place: only `reached` gets them.
struct KeyConflict {
  KeyChord chord;
  ActionId reached{}, hidden{};
};

class Keymap {
 public:
  Keymap();  // the defaults

  [[nodiscard]] std::span<const KeyChord> chords(ActionId id) const { return row(id).chords; }
  [[nodiscard]] const std::string& text(ActionId id) const { return row(id).text; }    // "Ctrl+G, Ctrl+L"; "" for none
  [[nodiscard]] const std::string& first(ActionId id) const { return row(id).first; }  // for menus
  [[nodiscard]] bool changed(ActionId id) const { return row(id).changed; }

  void bind(ActionId id, std::vector<KeyChord> chords);
  void reset(ActionId id);
  void reset_all();

  // Actions whose keys do not reach them, in the order of the table.
  [[nodiscard]] std::vector<KeyConflict> conflicts() const;
  // Another action that has `chord` where the action `except` acts; not one that is merely hidden by it elsewhere.
  [[nodiscard]] std::optional<ActionId> taken_by(const KeyChord& chord, ActionId except) const;

 private:
  struct Row {
    std::vector<KeyChord> chords;
    std::string text, first;
    bool changed = false;
  };
  [[nodiscard]] const Row& row(ActionId id) const { return rows_[static_cast<std::size_t>(id)]; }
  std::array<Row, kActionCount> rows_;
};

[[nodiscard]] std::string conflict_text(const KeyConflict& conflict);

}  // namespace dlscope::app
