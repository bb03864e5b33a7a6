#include "app/models/actions/key_hints.h"

namespace dlscope::app {

std::string with_keys(const Keymap& keys, ActionId id, std::string_view meaning) {
  const std::string& first = keys.first(id);
  std::string out(meaning);
  if (!first.empty()) return first + ": " + out;
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string keys_or_title(const Keymap& keys, ActionId id) {
  const std::string& first = keys.first(id);
  return first.empty() ? "\"" + std::string(action(id).title) + "\"" : first;
}

}  // namespace dlscope::app
