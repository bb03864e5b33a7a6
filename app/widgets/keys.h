// Converts between our keys and Dear ImGui's.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/models/actions/key_chord.h"

namespace dlscope::app {

// Whether the chord was pressed in this frame. Chords with Ctrl or Alt and function keys are claimed: no item gets them any more.
[[nodiscard]] bool chord_pressed(const KeyChord& chord, bool repeats);

// The chord pressed in this frame, bound or not; nullopt: none, or only modifiers.
[[nodiscard]] std::optional<KeyChord> pressed_chord();

}  // namespace dlscope::app
