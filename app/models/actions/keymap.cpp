#include "app/models/actions/keymap.h"

#include <fmt/core.h>

#include <algorithm>

namespace dlscope::app {
namespace {

std::vector<KeyChord> delivered(ActionId id) { return parse_chords(action(id).keys).value_or(std::vector<KeyChord>{}); }

}  // namespace

Keymap::Keymap() { reset_all(); }

void Keymap::bind(ActionId id, std::vector<KeyChord> chords) {
  Row& row = rows_[static_cast<std::size_t>(id)];
  row.changed = chords != delivered(id);
  row.text = chords_text(chords);
  row.first = chords.empty() ? std::string() : chord_text(chords.front());
  row.chords = std::move(chords);
}

void Keymap::reset(ActionId id) { bind(id, delivered(id)); }

void Keymap::reset_all() {
  for (const Action& each : actions()) reset(each.id);
}

std::optional<ActionId> Keymap::taken_by(const KeyChord& chord, ActionId except) const {
  for (const Action& other : actions()) {
    if (other.id == except || other.alternates_with == except || other.context != action(except).context) continue;
    if (std::ranges::find(chords(other.id), chord) != chords(other.id).end()) return other.id;
  }
  return std::nullopt;
}

std::vector<KeyConflict> Keymap::conflicts() const {
  std::vector<KeyConflict> out;
  const std::span<const Action> all = actions();
  for (std::size_t b = 1; b < all.size(); ++b) {
    for (const KeyChord& chord : chords(all[b].id)) {
      for (std::size_t a = 0; a < b; ++a) {
        if (all[a].context != all[b].context || all[a].alternates_with == all[b].id ||
            std::ranges::find(chords(all[a].id), chord) == chords(all[a].id).end())
          continue;
        out.push_back({chord, all[a].id, all[b].id});
        break;
      }
    }
  }
  return out;
}

std::string conflict_text(const KeyConflict& conflict) {
  return fmt::format("{} is set for \"{}\" and for \"{}\"; only the first is reached.", chord_text(conflict.chord),
                     action(conflict.reached).title, action(conflict.hidden).title);
}

}  // namespace dlscope::app
