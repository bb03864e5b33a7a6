#include "app/widgets/keys.h"

#include <imgui_internal.h>

#include <array>

namespace dlscope::app {
namespace {

struct KeyRow {
  Key key;
  ImGuiKey imgui;
};
constexpr KeyRow kOthers[] = {{Key::enter, ImGuiKey_Enter},
                              {Key::enter, ImGuiKey_KeypadEnter},
                              {Key::escape, ImGuiKey_Escape},
                              {Key::tab, ImGuiKey_Tab},
                              {Key::space, ImGuiKey_Space},
                              {Key::backspace, ImGuiKey_Backspace},
                              {Key::insert, ImGuiKey_Insert},
                              {Key::remove, ImGuiKey_Delete},
                              {Key::home, ImGuiKey_Home},
                              {Key::end, ImGuiKey_End},
                              {Key::page_up, ImGuiKey_PageUp},
                              {Key::page_down, ImGuiKey_PageDown},
                              {Key::left, ImGuiKey_LeftArrow},
                              {Key::right, ImGuiKey_RightArrow},
                              {Key::up, ImGuiKey_UpArrow},
                              {Key::down, ImGuiKey_DownArrow},
                              {Key::plus, ImGuiKey_Equal},
                              {Key::plus, ImGuiKey_KeypadAdd},
                              {Key::minus, ImGuiKey_Minus},
                              {Key::minus, ImGuiKey_KeypadSubtract},
                              {Key::comma, ImGuiKey_Comma},
                              {Key::period, ImGuiKey_Period},
                              {Key::slash, ImGuiKey_Slash},
                              {Key::backslash, ImGuiKey_Backslash},
                              {Key::semicolon, ImGuiKey_Semicolon},
                              {Key::apostrophe, ImGuiKey_Apostrophe},
                              {Key::left_bracket, ImGuiKey_LeftBracket},
                              {Key::right_bracket, ImGuiKey_RightBracket},
                              {Key::grave, ImGuiKey_GraveAccent}};

constexpr int offset(Key key, Key first) { return static_cast<int>(key) - static_cast<int>(first); }

// The one or two Dear ImGui keys for one of ours.
std::array<ImGuiKey, 2> imgui_keys(Key key) {
  if (key >= Key::a && key <= Key::z) return {static_cast<ImGuiKey>(ImGuiKey_A + offset(key, Key::a)), ImGuiKey_None};
  if (key >= Key::digit_0 && key <= Key::digit_9) {
    const int n = offset(key, Key::digit_0);
    return {static_cast<ImGuiKey>(ImGuiKey_0 + n), static_cast<ImGuiKey>(ImGuiKey_Keypad0 + n)};
  }
  if (key >= Key::f1 && key <= Key::f12) return {static_cast<ImGuiKey>(ImGuiKey_F1 + offset(key, Key::f1)), ImGuiKey_None};
  std::array<ImGuiKey, 2> out{ImGuiKey_None, ImGuiKey_None};
  std::size_t found = 0;
  for (const KeyRow& row : kOthers) {
    if (row.key == key && found < out.size()) out[found++] = row.imgui;
  }
  return out;
}

Key our_key(ImGuiKey key) {
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    for (const ImGuiKey candidate : imgui_keys(static_cast<Key>(i))) {
      if (candidate == key) return static_cast<Key>(i);
    }
  }
  return Key::none;
}

bool typed_question() {
  const ImGuiIO& io = ImGui::GetIO();
  return !io.KeyCtrl && !io.KeyAlt && io.InputQueueCharacters.contains(ImWchar{'?'});
}

// The chord comes to us before it comes to any widget. Dear ImGui grants that from the frame after the one that asked first; a key
// pressed in the frame that asks first (the window's first, or the one in which an action has just become possible) is ours too,
// unless something else has it.
bool taken_and_pressed(ImGuiKeyChord chord, ImGuiInputFlags repeat) {
  constexpr ImGuiInputFlags kFirst =
      ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;
  const bool asked_before = ImGui::GetShortcutRoutingData(chord)->RoutingCurr != ImGuiKeyOwner_NoOwner;
  return ImGui::Shortcut(chord, repeat | kFirst) ||
         (!asked_before && ImGui::IsKeyChordPressed(chord, repeat, ImGuiKeyOwner_NoOwner));
}

bool pressed(ImGuiKeyChord chord, bool taken, bool repeats) {
  const ImGuiInputFlags repeat = repeats ? ImGuiInputFlags_Repeat : ImGuiInputFlags_None;
  if (taken) return taken_and_pressed(chord, repeat);
  const ImGuiIO& io = ImGui::GetIO();
  return (chord & ImGuiMod_Mask_) == io.KeyMods && ImGui::IsKeyPressed(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_), repeats);
}

}  // namespace

bool chord_pressed(const KeyChord& chord, bool repeats) {
  if (chord.key == Key::question && !chord.ctrl && !chord.alt) return typed_question();
  const int mods = (chord.ctrl ? ImGuiMod_Ctrl : 0) | (chord.shift ? ImGuiMod_Shift : 0) | (chord.alt ? ImGuiMod_Alt : 0);
  const bool taken = chord.ctrl || chord.alt || (chord.key >= Key::f1 && chord.key <= Key::f12);
  if (chord.key == Key::question) return pressed(mods | ImGuiMod_Shift | ImGuiKey_Slash, taken, repeats);
  for (const ImGuiKey key : imgui_keys(chord.key)) {
    if (key != ImGuiKey_None && pressed(mods | key, taken, repeats)) return true;
  }
  // On many keyboards the sign needs Shift.
  return chord.key == Key::plus && !chord.shift && pressed(mods | ImGuiMod_Shift | ImGuiKey_Equal, taken, repeats);
}

std::optional<KeyChord> pressed_chord() {
  const ImGuiIO& io = ImGui::GetIO();
  if (typed_question()) return KeyChord{.key = Key::question};
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (!ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) continue;
    const Key ours = our_key(static_cast<ImGuiKey>(key));
    if (ours != Key::none) return KeyChord{.key = ours, .ctrl = io.KeyCtrl, .shift = io.KeyShift, .alt = io.KeyAlt};
  }
  return std::nullopt;
}

}  // namespace dlscope::app
