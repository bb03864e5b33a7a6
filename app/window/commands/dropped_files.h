// Files that are dropped on the window at once: which are opened. The window shows one script, one tensor file and one recording
// of streams at a time.
#pragma once

#include <string>
#include <vector>

namespace dlscope::app {

struct DroppedFiles {
  std::vector<std::string> opened;  // the first of each kind, in the order they came
  std::vector<std::string> left;    // the others
};

[[nodiscard]] DroppedFiles choose_dropped(std::vector<std::string> paths);
// "Not opened: b.npz and c.npz. ..."; left: not empty.
[[nodiscard]] std::string not_opened_text(const std::vector<std::string>& left);

}  // namespace dlscope::app
