#include "app/models/actions/view_options.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {

WindowRoom room_of(float width, float height) {
  if (width >= 1400 && height >= 760) return WindowRoom::all_places;
  if (width >= 1200 && height >= 600) return WindowRoom::five_places;
  if (width >= 900 && height >= 440) return WindowRoom::four_places;
  if (width >= 560 && height >= 220) return WindowRoom::two_places;
  return WindowRoom::one_place;
}

std::optional<LayoutPreset> layout_from_name(std::string_view name) {
  if (name == "debug") return LayoutPreset::debug;
  if (name == "teach") return LayoutPreset::teach;
  if (name == "verify") return LayoutPreset::verify;
  return std::nullopt;
}

std::optional<ThemeChoice> theme_from_name(std::string_view name) {
  if (name == "dark") return ThemeChoice::dark;
  if (name == "light") return ThemeChoice::light;
  return std::nullopt;
}

const char* layout_name(LayoutPreset layout) {
  switch (layout) {
    case LayoutPreset::debug:
      return "debug";
    case LayoutPreset::teach:
      return "teach";
    case LayoutPreset::verify:
      return "verify";
  }
  return "debug";
}

const char* theme_name(ThemeChoice theme) { return theme == ThemeChoice::light ? "light" : "dark"; }

float scale_step(float scale, int direction) {
  constexpr float kStep = 0.25F;
  const float position = scale / kStep;
  const float next = direction > 0 ? std::floor(position + 0.01F) + 1.0F : std::ceil(position - 0.01F) - 1.0F;
  return std::clamp(next * kStep, kMinScale, kMaxScale);
}

}  // namespace dlscope::app
