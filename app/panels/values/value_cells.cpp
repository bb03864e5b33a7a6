#include "app/panels/values/value_cells.h"

#include <algorithm>

#include "app/panels/values/value_table.h"

namespace dlscope::app {

void draw_value_cells(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below,
                      Commands& commands) {
  if (context.asked(ActionId::values_larger)) state.zoom = std::min(kMaxValueZoom, state.zoom * 1.25F);
  if (context.asked(ActionId::values_smaller)) state.zoom = std::max(kMinValueZoom, state.zoom / 1.25F);
  if (context.asked(ActionId::values_normal)) state.zoom = 1;
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * state.zoom);
  ValueTable(context, state, grid, below, commands).draw();
  ImGui::PopFont();
  draw_value_menu(context, state, grid, commands);
}

}  // namespace dlscope::app
