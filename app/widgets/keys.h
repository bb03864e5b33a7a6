// Keys between our words for them and Dear ImGui's.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/models/actions/key_chord.h"

namespace dlscope::app {

// Whether the chord was pressed in this frame. Chords with Ctrl or Alt and function keys are taken: no item sees them any more.
[[nodiscard]] bool chord_pressed(const KeyChord& chord, bool repeats);

// The chord being pressed in this frame, whatever it is for; nullopt while only modifiers are held.
[[nodiscard]] std::optional<KeyChord> pressed_chord();

}  // namespace dlscope::app
