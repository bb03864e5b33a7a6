// A list with one entry per axis, such as "(3, 4)", whose entries can be hovered one by one.
#pragma once

#include <optional>
#include <string>

namespace dlscope::app {

// Draws it as one item that wraps between entries and offers `copy`, like copyable(). Returns the axis under the mouse.
[[nodiscard]] std::optional<int> draw_axis_entries(const std::string& list, const std::string& copy, float wrap_at, int lit_axis,
                                                   const struct Theme& theme);

}  // namespace dlscope::app
