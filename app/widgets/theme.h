// Theme: all colours of the interface by role, and sizes that follow the scale. Panels use roles, never colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <imgui.h>

#include "app/models/actions/view_options.h"
#include "app/models/tensors/badges.h"

namespace dlscope::app {

inline constexpr std::size_t kGroupColours = 12;
inline constexpr std::size_t kRampColours = 9;

struct Theme {
  ThemeChoice choice{};
  ImVec4 background, panel, raised, border;
  ImVec4 text, dim, accent, good, warn, bad, unknown;
  ImVec4 nan;                                 // values that are not numbers
  ImVec4 note;                                // dlscope's own lines in the output
  std::array<ImU32, kGroupColours> groups{};  // memory groups: colour-blind safe, beginning with Okabe and Ito's
  ImU32 empty_space = 0;                      // folded memory in the map
  ImU32 selection = 0;                        // outline of the selection
  // For positions from first to last: lightness rises monotonically, so it is readable without colour vision.
  std::array<ImU32, kRampColours> ramp{};
  ImVec4 row_axis, column_axis;  // the axes that run down and across
};

[[nodiscard]] const Theme& theme_for(ThemeChoice choice);

// Sets theme and scale (1 = 100 %) in the style of the current ImGui context. Can be called again to change either.
void apply_theme(const Theme& theme, float scale);

[[nodiscard]] ImVec4 tone_colour(const Theme& theme, Tone tone);
[[nodiscard]] ImU32 group_colour(const Theme& theme, std::uint32_t colour);
// The colour at `part` of the ramp, clamped to [0, 1].
[[nodiscard]] ImU32 ramp_colour(const Theme& theme, double part);
// Black or white, whichever is more readable on `fill`.
[[nodiscard]] ImU32 text_on(ImU32 fill);

}  // namespace dlscope::app
