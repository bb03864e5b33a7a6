#include "app/widgets/theme.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

constexpr float kBaseFontSize = 15.0F;

constexpr ImVec4 rgb(unsigned value, float alpha = 1.0F) {
  return {static_cast<float>((value >> 16) & 0xFF) / 255.0F, static_cast<float>((value >> 8) & 0xFF) / 255.0F,
          static_cast<float>(value & 0xFF) / 255.0F, alpha};
}

constexpr ImU32 packed(unsigned value, unsigned alpha = 255) {
  return IM_COL32((value >> 16) & 0xFF, (value >> 8) & 0xFF, value & 0xFF, alpha);
}

// Okabe and Ito's seven (without black, the text colour), then five of Paul Tol's that are distinct from these.
constexpr std::array<ImU32, kGroupColours> kGroups{packed(0x56B4E9), packed(0xE69F00), packed(0x009E73), packed(0xD55E00),
                                                   packed(0xCC79A7), packed(0xF0E442), packed(0x0072B2), packed(0x999933),
                                                   packed(0x44AA99), packed(0xAA4499), packed(0xA57C52), packed(0x8C8CD9)};

// Viridis without its darkest end, which would be invisible on the dark panel.
constexpr std::array<ImU32, kRampColours> kRamp{packed(0x46327E), packed(0x3C508B), packed(0x31688E),
                                                packed(0x277F8E), packed(0x1F978B), packed(0x2DB27D),
                                                packed(0x5CC863), packed(0xA5DB36), packed(0xFDE725)};

Theme dark_theme() {
  Theme t;
  t.choice = ThemeChoice::dark;
  t.background = rgb(0x15171C);
  t.panel = rgb(0x1C1F26);
  t.raised = rgb(0x2A2E38);
  t.border = rgb(0x363B47);
  t.text = rgb(0xE4E7EE);
  t.dim = rgb(0x9AA1B1);
  t.accent = rgb(0x6DB9F8);
  t.good = rgb(0x7ACB8D);
  t.warn = rgb(0xE8B04A);
  t.bad = rgb(0xFF8A75);
  t.unknown = rgb(0xB9A6D9);
  t.nan = rgb(0xFF73F2);
  t.note = rgb(0x86B6A8);
  t.groups = kGroups;
  t.empty_space = packed(0x262A33);
  t.selection = packed(0xFFFFFF);
  t.ramp = kRamp;
  t.row_axis = rgb(0xE5D352);
  t.column_axis = rgb(0xA3B4FF);
  return t;
}

Theme light_theme() {
  Theme t;
  t.choice = ThemeChoice::light;
  t.background = rgb(0xE6E8EC);
  t.panel = rgb(0xFAFAFB);
  t.raised = rgb(0xE9EBF0);
  t.border = rgb(0xC6CAD3);
  t.text = rgb(0x1B1E25);
  t.dim = rgb(0x5B6272);
  t.accent = rgb(0x0A5FA8);
  t.good = rgb(0x1D6E36);
  t.warn = rgb(0x8A5800);
  t.bad = rgb(0xB3261E);
  t.unknown = rgb(0x6B4B9E);
  t.nan = rgb(0xB2009E);
  t.note = rgb(0x2F6B5C);
  t.groups = kGroups;
  t.empty_space = packed(0xE3E6EB);
  t.selection = packed(0x101216);
  t.ramp = kRamp;
  t.row_axis = rgb(0x756300);
  t.column_axis = rgb(0x3547C4);
  return t;
}

ImVec4 mixed(const ImVec4& a, const ImVec4& b, float part) {
  return {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part, 1.0F};
}

void set_colours(const Theme& t, ImVec4* c) {
  const ImVec4 hovered = mixed(t.raised, t.accent, 0.22F), active = mixed(t.raised, t.accent, 0.40F);
  c[ImGuiCol_Text] = t.text;
  c[ImGuiCol_TextDisabled] = t.dim;
  c[ImGuiCol_WindowBg] = c[ImGuiCol_PopupBg] = t.panel;
  c[ImGuiCol_MenuBarBg] = c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = c[ImGuiCol_TitleBgCollapsed] = t.background;
  c[ImGuiCol_DockingEmptyBg] = t.background;
  c[ImGuiCol_Border] = c[ImGuiCol_Separator] = c[ImGuiCol_TableBorderStrong] = t.border;
  c[ImGuiCol_TableBorderLight] = mixed(t.panel, t.border, 0.5F);
  c[ImGuiCol_FrameBg] = t.raised;
  c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_ButtonHovered] = c[ImGuiCol_HeaderHovered] = c[ImGuiCol_TabHovered] = hovered;
  c[ImGuiCol_FrameBgActive] = c[ImGuiCol_ButtonActive] = c[ImGuiCol_HeaderActive] = active;
  c[ImGuiCol_Button] = t.raised;
  c[ImGuiCol_SliderGrab] = mixed(t.raised, t.accent, 0.55F);
  c[ImGuiCol_SliderGrabActive] = t.accent;
  c[ImGuiCol_Header] = mixed(t.panel, t.accent, 0.28F);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabDimmed] = t.background;
  c[ImGuiCol_TabSelected] = c[ImGuiCol_TabDimmedSelected] = t.panel;
  c[ImGuiCol_TabSelectedOverline] = t.accent;
  c[ImGuiCol_TabDimmedSelectedOverline] = t.border;
  c[ImGuiCol_TableHeaderBg] = t.raised;
  c[ImGuiCol_TableRowBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_TableRowBgAlt] = mixed(t.panel, t.raised, 0.35F);
  c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_ScrollbarGrab] = t.border;
  c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = t.dim;
  c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = t.accent;
  c[ImGuiCol_TextSelectedBg] = mixed(t.panel, t.accent, 0.38F);
  c[ImGuiCol_InputTextCursor] = t.text;
  c[ImGuiCol_NavCursor] = c[ImGuiCol_CheckMark] = c[ImGuiCol_TextLink] = c[ImGuiCol_DockingPreview] = t.accent;
}

}  // namespace

const Theme& theme_for(ThemeChoice choice) {
  static const Theme kDark = dark_theme(), kLight = light_theme();
  return choice == ThemeChoice::light ? kLight : kDark;
}

void apply_theme(const Theme& theme, float scale) {
  ImGuiStyle style;  // a new one, because scaling twice would multiply
  if (theme.choice == ThemeChoice::light)
    ImGui::StyleColorsLight(&style);
  else
    ImGui::StyleColorsDark(&style);
  set_colours(theme, style.Colors);
  style.FontSizeBase = kBaseFontSize;
  style.WindowPadding = {8, 8};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 4};
  style.ItemInnerSpacing = {4, 4};
  style.CellPadding = {8, 3};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 12;
  style.TabMinWidthShrink = 40;  // tabs get narrower before some of them are scrolled out of view
  style.FrameRounding = style.PopupRounding = style.TabRounding = style.GrabRounding = 4;
  style.ScrollbarRounding = 6;
  style.WindowBorderSize = style.PopupBorderSize = 1;
  style.DockingSeparatorSize = 3;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.ScaleAllSizes(scale);
  style.FontScaleDpi = scale;
  ImGui::GetStyle() = style;
}

ImVec4 tone_colour(const Theme& theme, Tone tone) {
  switch (tone) {
    case Tone::plain:
      return theme.text;
    case Tone::dim:
      return theme.dim;
    case Tone::accent:
      return theme.accent;
    case Tone::good:
      return theme.good;
    case Tone::warn:
      return theme.warn;
    case Tone::bad:
      return theme.bad;
    case Tone::unknown:
      return theme.unknown;
  }
  return theme.text;
}

ImU32 group_colour(const Theme& theme, std::uint32_t colour) { return theme.groups[colour % kGroupColours]; }

ImU32 ramp_colour(const Theme& theme, double part) {
  const double at = (part > 0 ? std::min(part, 1.0) : 0.0) * static_cast<double>(kRampColours - 1);
  const auto i = std::min(static_cast<std::size_t>(at), kRampColours - 2);
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(theme.ramp[i]), b = ImGui::ColorConvertU32ToFloat4(theme.ramp[i + 1]);
  return ImGui::ColorConvertFloat4ToU32(mixed(a, b, static_cast<float>(at - static_cast<double>(i))));
}

ImU32 text_on(ImU32 fill) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(fill);
  const auto linear = [](float v) { return std::pow(v, 2.2F); };
  const float luminance = 0.2126F * linear(c.x) + 0.7152F * linear(c.y) + 0.0722F * linear(c.z);
  return luminance > 0.18F ? packed(0x101216) : packed(0xFFFFFF);
}

}  // namespace dlscope::app
