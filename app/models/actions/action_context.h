// The panels by name, as the places where keys act.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::app {

// Where an action's keys act. `global`: everywhere; the others: while that panel has the keyboard or, for keys that are no text,
// the mouse is over it. A panel's own action wins over a global one with the same keys.
enum class ActionContext : std::uint8_t {
  global,
  editor,
  console,
  table,
  inspector,
  map,
  sharing,
  values,
  layout,
  statistics,
  heatmap,
  hex,
  log,
  tasks,
  stack,
  exchange,
  compare,
  history,
  count
};
inline constexpr std::size_t kActionContextCount = static_cast<std::size_t>(ActionContext::count);
inline constexpr std::size_t kPanelCount = kActionContextCount - 1;  // each but `global`

}  // namespace dlscope::app
