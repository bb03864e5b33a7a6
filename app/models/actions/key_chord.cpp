#include "app/models/actions/key_chord.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "app/models/text/characters.h"

namespace dlscope::app {
namespace {

constexpr std::array<std::string_view, kKeyCount> kNames{
    "",       "A",     "B",      "C",       "D",         "E",         "F",          "G",   "H",     "I",         "J",
    "K",      "L",     "M",      "N",       "O",         "P",         "Q",          "R",   "S",     "T",         "U",
    "V",      "W",     "X",      "Y",       "Z",         "0",         "1",          "2",   "3",     "4",         "5",
    "6",      "7",     "8",      "9",       "F1",        "F2",        "F3",         "F4",  "F5",    "F6",        "F7",
    "F8",     "F9",    "F10",    "F11",     "F12",       "Enter",     "Escape",     "Tab", "Space", "Backspace", "Insert",
    "Delete", "Home",  "End",    "Page Up", "Page Down", "Left",      "Right",      "Up",  "Down",  "Plus",      "Minus",
    "?",      "Comma", "Period", "/",       "Backslash", "Semicolon", "Apostrophe", "[",   "]",     "`"};

// Other spellings of some keys.
struct Alias {
  std::string_view name;
  Key key;
};
constexpr Alias kAliases[] = {{"+", Key::plus},           {"=", Key::plus},
                              {"-", Key::minus},          {",", Key::comma},
                              {".", Key::period},         {"slash", Key::slash},
                              {"\\", Key::backslash},     {";", Key::semicolon},
                              {"'", Key::apostrophe},     {"esc", Key::escape},
                              {"del", Key::remove},       {"return", Key::enter},
                              {"pageup", Key::page_up},   {"pagedown", Key::page_down},
                              {"pgup", Key::page_up},     {"pgdn", Key::page_down},
                              {"question", Key::question}};

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Key key_from(std::string_view name) {
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    if (same_word(name, kNames[i])) return static_cast<Key>(i);
  }
  for (const Alias& alias : kAliases) {
    if (same_word(name, alias.name)) return alias.key;
  }
  return Key::none;
}

bool take_modifier(std::string_view word, KeyChord& chord) {
  bool* held = nullptr;
  if (same_word(word, "ctrl") || same_word(word, "control")) held = &chord.ctrl;
  if (same_word(word, "shift")) held = &chord.shift;
  if (same_word(word, "alt")) held = &chord.alt;
  if (held == nullptr || *held) return false;
  *held = true;
  return true;
}

}  // namespace

bool KeyChord::means_text() const {
  if (key >= Key::f1 && key <= Key::f12) return false;
  if (!ctrl && !alt) return true;
  if (alt) return false;
  switch (key) {
    case Key::a:
    case Key::c:
    case Key::v:
    case Key::x:
    case Key::y:
    case Key::z:
    case Key::backspace:
    case Key::insert:
    case Key::remove:
    case Key::home:
    case Key::end:
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down:
      return true;
    default:
      return false;
  }
}

std::string_view key_name(Key key) {
  const auto at = static_cast<std::size_t>(key);
  return at < kKeyCount ? kNames[at] : std::string_view();
}

std::optional<KeyChord> parse_chord(std::string_view text) {
  KeyChord chord;
  text = trimmed(text);
  while (true) {
    // From the second character on, because "+" itself is a key.
    const std::size_t cut = text.size() > 1 ? text.find('+', 1) : std::string_view::npos;
    const std::string_view word = trimmed(text.substr(0, cut));
    if (cut == std::string_view::npos) {
      chord.key = key_from(word);
      return chord.key == Key::none ? std::nullopt : std::optional(chord);
    }
    if (!take_modifier(word, chord)) return std::nullopt;
    text = trimmed(text.substr(cut + 1));
  }
}

std::string chord_text(const KeyChord& chord) {
  if (chord.key == Key::none) return {};
  std::string out;
  if (chord.ctrl) out += "Ctrl+";
  if (chord.shift) out += "Shift+";
  if (chord.alt) out += "Alt+";
  return out += key_name(chord.key);
}

std::optional<std::vector<KeyChord>> parse_chords(std::string_view text) {
  std::vector<KeyChord> out;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t cut = text.find(", ");
    const auto chord = parse_chord(text.substr(0, cut));
    if (!chord) return std::nullopt;
    out.push_back(*chord);
    text = cut == std::string_view::npos ? std::string_view() : trimmed(text.substr(cut + 2));
  }
  return out;
}

std::string chords_text(const std::vector<KeyChord>& chords) {
  std::string out;
  for (const KeyChord& chord : chords) out += (out.empty() ? "" : ", ") + chord_text(chord);
  return out;
}

}  // namespace dlscope::app
