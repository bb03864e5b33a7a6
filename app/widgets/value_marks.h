// The look of values: a colour for each kind and a sign beside it, so that kinds differ without colour, too.
#pragma once

#include <imgui.h>

#include "app/widgets/theme.h"
#include "core/tensor/element.h"

namespace dlscope::app {

inline constexpr float kFlashSeconds = 0.15F;

[[nodiscard]] ImVec4 value_colour(const Theme& theme, core::ValueClass value_class);

// NaN: a cross; infinities: a triangle up or down; subnormal: dots under the number. Nothing for ordinary values. In the cell from
// `from` to `to`; the cross and the triangles close before the number, which begins at number_left, and inside the cell.
void mark_value(ImDrawList* list, ImVec2 from, ImVec2 to, float number_left, const Theme& theme, core::ValueClass value_class,
                float scale);

// For a cell whose bytes changed `age` seconds ago: it flashes once and keeps a marked corner.
void mark_changed(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, float scale, float age);

}  // namespace dlscope::app
