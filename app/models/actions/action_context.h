// The panels, as the places where keys act.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::app {

// Where the keys of an action act. `global`: everywhere. The others: while that panel has the keyboard or, for keys that type no
// text, the mouse is over it. A panel's own action takes precedence over a global one with the same keys.
enum class ActionContext : std::uint8_t {
  global,
  script,
  output,
  tensors,
  inspector,
  memory,
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
inline constexpr std::size_t kPanelCount = kActionContextCount - 1;  // all but `global`

}  // namespace dlscope::app
