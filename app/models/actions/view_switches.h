// Which panels and sheets are shown; the View menu, the palette and the settings file switch them.
#pragma once

#include <array>

#include "app/models/actions/action_context.h"

namespace dlscope::app {

struct ViewSwitches {
  std::array<bool, kActionContextCount> panels{};             // by context; show_panels_at_first() sets what a layout begins with
  bool shortcuts = false, settings = false, pythons = false;  // sheets: not part of a layout

  [[nodiscard]] bool& operator[](ActionContext panel) { return panels[static_cast<std::size_t>(panel)]; }
  [[nodiscard]] bool operator[](ActionContext panel) const { return panels[static_cast<std::size_t>(panel)]; }
};

}  // namespace dlscope::app
