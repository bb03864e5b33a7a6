// Keymap: which keys reach which action now: those delivered, with what a person changed. Says what is wrong with a change, never
// refuses it silently.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/actions/actions.h"

namespace dlscope::app {

// Two actions on the same keys in the same place: only the first is reached.
struct KeyConflict {
  KeyChord chord;
  ActionId reached{}, hidden{};
};

class Keymap {
 public:
  Keymap();  // as delivered

  [[nodiscard]] std::span<const KeyChord> chords(ActionId id) const { return row(id).chords; }
  [[nodiscard]] const std::string& text(ActionId id) const { return row(id).text; }    // "Ctrl+G, Ctrl+L"; "" for none
  [[nodiscard]] const std::string& first(ActionId id) const { return row(id).first; }  // for menus
  [[nodiscard]] bool changed(ActionId id) const { return row(id).changed; }

  void bind(ActionId id, std::vector<KeyChord> chords);
  void reset(ActionId id);
  void reset_all();

  // What reaches nothing, in the order of the table.
  [[nodiscard]] std::vector<KeyConflict> conflicts() const;
  // Another action of `context` on `chord`; an action that is hidden by it elsewhere is none.
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
