// The way out where a file's tensors are shown and Python is needed: how Python gets them.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

inline constexpr const char* kHowToLoad = "To do this with its tensors, load them: with this line in the console, or in a script.";
// In a window that was opened for a file.
inline constexpr const char* kHowToLoadElsewhere =
    "To do this with its tensors, write a script with this line and open it (dlscope SCRIPT.py).";
inline constexpr const char* kNothingToRunWith =
    "There is no Python here, because a file of tensors was opened. To run a script: dlscope SCRIPT.py";

// The Python line that loads the tensors of a .npy, .npz or .safetensors file, from anywhere: its path is made absolute.
[[nodiscard]] std::string loading_line(std::string_view path);

}  // namespace dlscope::app
