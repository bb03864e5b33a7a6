// Tooltips with text: when they come, and where. explain() in marks.h is what most items use.
#pragma once

#include <cstdint>
#include <string_view>

namespace dlscope::app {

// below: at the mouse, as Dear ImGui does it, but above the mouse where it would cover the status bar. above: over the item, for
// heads whose rows would be covered.
enum class TooltipSide : std::uint8_t { below, above };

// Whether the last item is due a tooltip: it is under the mouse for a short while, it was not clicked since the mouse came to it,
// and nothing else here was clicked since the mouse moved. Call in every frame in which the item is under the mouse.
[[nodiscard]] bool tooltip_is_due();

// For the last item, whatever its state. text: wrapped; nothing for an empty one.
void show_tooltip(std::string_view text, TooltipSide side = TooltipSide::below);

// As explain(), for the head of a column.
void explain_head(std::string_view text);

}  // namespace dlscope::app
