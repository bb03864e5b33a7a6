// Sentences that name the present keys of an action, which a person may have changed.
#pragma once

#include <string>
#include <string_view>

#include "app/models/actions/keymap.h"

namespace dlscope::app {

// "F5: runs the text"; for an action without keys "Runs the text".
[[nodiscard]] std::string with_keys(const Keymap& keys, ActionId id, std::string_view meaning);
// "Escape"; for an action without keys its title in quotes, which the palette finds.
[[nodiscard]] std::string keys_or_title(const Keymap& keys, ActionId id);

}  // namespace dlscope::app
