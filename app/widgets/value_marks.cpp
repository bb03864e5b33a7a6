#include "app/widgets/value_marks.h"

#include <algorithm>

namespace dlscope::app {

using core::ValueClass;

ImVec4 value_colour(const Theme& theme, ValueClass value_class) {
  switch (value_class) {
    case ValueClass::nan:
      return theme.nan;
    case ValueClass::positive_infinity:
      return theme.warn;
    case ValueClass::negative_infinity:
      return theme.bad;
    case ValueClass::zero:
      return theme.dim;
    case ValueClass::subnormal:
      return theme.accent;
    case ValueClass::normal:
      break;
  }
  return theme.text;
}

void mark_value(ImDrawList* list, ImVec2 from, ImVec2 to, float number_left, const Theme& theme, ValueClass value_class,
                float scale) {
  const ImU32 ink = ImGui::GetColorU32(value_colour(theme, value_class));
  const float half = 3 * scale;
  const ImVec2 middle{std::max(from.x + half + scale, number_left - half - 3 * scale), (from.y + to.y) * 0.5F};
  switch (value_class) {
    case ValueClass::nan:
      list->AddLine({middle.x - half, middle.y - half}, {middle.x + half, middle.y + half}, ink, 1.5F * scale);
      list->AddLine({middle.x - half, middle.y + half}, {middle.x + half, middle.y - half}, ink, 1.5F * scale);
      break;
    case ValueClass::positive_infinity:
      list->AddTriangleFilled({middle.x, middle.y - half}, {middle.x + half, middle.y + half}, {middle.x - half, middle.y + half},
                              ink);
      break;
    case ValueClass::negative_infinity:
      list->AddTriangleFilled({middle.x, middle.y + half}, {middle.x - half, middle.y - half}, {middle.x + half, middle.y - half},
                              ink);
      break;
    case ValueClass::subnormal:
      for (float x = to.x - 6 * scale; x > from.x + 6 * scale; x -= 5 * scale)
        list->AddRectFilled({x - 2 * scale, to.y - 2 * scale}, {x, to.y - scale}, ink);
      break;
    default:
      break;
  }
}

void mark_changed(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, float scale, float age) {
  const float left = std::clamp(1 - age / kFlashSeconds, 0.0F, 1.0F);
  if (left > 0) list->AddRectFilled(from, to, ImGui::GetColorU32({theme.good.x, theme.good.y, theme.good.z, 0.55F * left}));
  const float corner = 6 * scale;
  list->AddTriangleFilled({to.x - corner, from.y}, {to.x, from.y}, {to.x, from.y + corner}, ImGui::GetColorU32(theme.good));
}

}  // namespace dlscope::app
