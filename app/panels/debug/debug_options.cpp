#include "app/panels/debug/debug_options.h"

#include <imgui.h>

#include "app/widgets/marks.h"

namespace dlscope::app {

void draw_debug_options(DebugOptionsState& state) {
  ImGui::Checkbox("Other threads stop", &state.stop_others);
  explain(
      "At a stop the other threads stop as well, each at its next line of Python. C code runs to its end: a matrix product, a "
      "wait for the network. Off: they run on.");
  ImGui::SameLine();
  bool my_code = !state.library_code;
  ImGui::Checkbox("Just my code", &my_code);
  state.library_code = !my_code;
  explain(
      "Steps, Pause and stopping where an exception is raised pass over the code of Python and of libraries. Breakpoints stop "
      "anywhere.");
}

}  // namespace dlscope::app
