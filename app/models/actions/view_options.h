// How the window is arranged and coloured: the choices a person, an option or a settings file makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlscope::app {

enum class LayoutPreset : std::uint8_t { debug, teach, verify };
enum class ThemeChoice : std::uint8_t { dark, light };

// Where a window stands on the desktop.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool maximized = false;
  friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

inline constexpr float kMinScale = 1.0F;
inline constexpr float kMaxScale = 3.0F;

// How many panels a window has room for side by side, whatever its scale: a window of 1920 x 1080 pixels at 300 % is a small
// one. The fewer, the more of them are tabs behind one another.
enum class WindowRoom : std::uint8_t { one_place, two_places, four_places, five_places, all_places };
// Width and height in pixels at 100 %.
[[nodiscard]] WindowRoom room_of(float width, float height);

// The words of --layout and --theme; nullopt for anything else.
[[nodiscard]] std::optional<LayoutPreset> layout_from_name(std::string_view name);
[[nodiscard]] std::optional<ThemeChoice> theme_from_name(std::string_view name);
[[nodiscard]] const char* layout_name(LayoutPreset layout);
[[nodiscard]] const char* theme_name(ThemeChoice theme);

// The scale one step up or down from `scale` (steps of 25 %), inside [kMinScale, kMaxScale].
[[nodiscard]] float scale_step(float scale, int direction);

}  // namespace dlscope::app
