// A text of another program as the end of a sentence.
#pragma once

#include <string>

namespace dlscope::app {

// With a full stop directly behind its last word: the messages of some libraries end with a blank.
[[nodiscard]] inline std::string as_sentence(std::string text) {
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  if (!text.ends_with('.')) text += '.';
  return text;
}

}  // namespace dlscope::app
