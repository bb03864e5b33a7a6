// Layout and appearance of the window, as chosen by a person, an option or the settings file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlscope::app {

enum class LayoutPreset : std::uint8_t { debug, teach, verify };
enum class ThemeChoice : std::uint8_t { dark, light };

// The position of a window on the desktop.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool maximized = false;
  friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

inline constexpr float kMinScale = 1.0F;
inline constexpr float kMaxScale = 3.0F;

// How many panels fit side by side, given the scale: a window of 1920 x 1080 pixels at 300 % is a small one. Where fewer fit,
// more of them are tabs of one place.
enum class WindowRoom : std::uint8_t { one_place, two_places, four_places, five_places, all_places };
// Width and height in pixels at 100 %.
[[nodiscard]] WindowRoom room_of(float width, float height);

// Parses the values of --layout and --theme; nullopt: unknown.
[[nodiscard]] std::optional<LayoutPreset> layout_from_name(std::string_view name);
[[nodiscard]] std::optional<ThemeChoice> theme_from_name(std::string_view name);
[[nodiscard]] const char* layout_name(LayoutPreset layout);
[[nodiscard]] const char* theme_name(ThemeChoice theme);

// The scale one step up or down from `scale` (steps of 25 %), inside [kMinScale, kMaxScale].
[[nodiscard]] float scale_step(float scale, int direction);

}  // namespace dlscope::app
