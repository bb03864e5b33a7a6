// KeyChord: a key with its modifiers, and its text form: "Ctrl+Shift+P". Independent of Dear ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

// The keys a chord may end in. `plus` and `minus` are the signs on the main block and the keypad alike; `question` is the typed
// sign, because its key differs between keyboards.
// clang-format off
enum class Key : std::uint8_t {
  none,
  a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
  digit_0, digit_1, digit_2, digit_3, digit_4, digit_5, digit_6, digit_7, digit_8, digit_9,
  f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12,
  enter, escape, tab, space, backspace, insert, remove, home, end, page_up, page_down, left, right, up, down,
  plus, minus, question, comma, period, slash, backslash, semicolon, apostrophe, left_bracket, right_bracket, grave,
  count
};
// clang-format on
inline constexpr std::size_t kKeyCount = static_cast<std::size_t>(Key::count);

struct KeyChord {
  Key key = Key::none;
  bool ctrl = false, shift = false, alt = false;

  friend bool operator==(const KeyChord&, const KeyChord&) = default;
  // Whether the chord types or edits text in a text field: then it must not act while a person types.
  [[nodiscard]] bool means_text() const;
};

[[nodiscard]] std::string_view key_name(Key key);  // "P", "F5", "Page Up"; "" for none

// Parses "ctrl + shift + p", in any case and with spaces; nullopt: no chord ("Ctrl+", "Hyper+X").
[[nodiscard]] std::optional<KeyChord> parse_chord(std::string_view text);
// "Ctrl+Shift+P".
[[nodiscard]] std::string chord_text(const KeyChord& chord);

// Several chords, separated by commas: "Ctrl+G, Ctrl+L". nullopt: one of them is invalid. "" is an empty list.
[[nodiscard]] std::optional<std::vector<KeyChord>> parse_chords(std::string_view text);
[[nodiscard]] std::string chords_text(const std::vector<KeyChord>& chords);

}  // namespace dlscope::app
