// Which panels and sheets are shown; the View menu, the palette and the settings file switch them.
#pragma once

namespace dlscope::app {

struct ViewSwitches {
  bool script = true, output = true, tensors = true, inspector = true, memory = true, sharing = true, values = true,
       layout = true, statistics = true, log = true, tasks = true, exchange = true;
  bool stack = false;                                         // shown with the first stop
  bool shortcuts = false, settings = false, pythons = false;  // sheets: no part of a layout
};

}  // namespace dlscope::app
