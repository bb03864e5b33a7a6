// A list with one entry an axis, such as "(3, 4)": each entry can be pointed at on its own.
#pragma once

#include <optional>
#include <string>

namespace dlscope::app {

// As one item that wraps between entries and offers `copy`, like copyable(). The axis whose entry is under the mouse.
[[nodiscard]] std::optional<int> draw_axis_entries(const std::string& list, const std::string& copy, float wrap_at, int lit_axis,
                                                   const struct Theme& theme);

}  // namespace dlscope::app
