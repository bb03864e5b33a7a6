// Sentences that name the keys of an action as they are now, not as they were delivered.
#pragma once

#include <string>
#include <string_view>

#include "app/models/actions/keymap.h"

namespace dlscope::app {

// "F5: runs the text"; of an action without keys "Runs the text".
[[nodiscard]] std::string with_keys(const Keymap& keys, ActionId id, std::string_view meaning);
// "Escape"; of an action without keys its title in quotes, as the palette finds it.
[[nodiscard]] std::string keys_or_title(const Keymap& keys, ActionId id);

}  // namespace dlscope::app
