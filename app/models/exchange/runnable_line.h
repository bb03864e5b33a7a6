// A Python line of a hand-over or a copy, made to run in a Python that has the tensor's name and has imported nothing.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// "import torch; t = torch.from_dlpack(x)". Only libraries that dlscope writes such lines for are imported.
[[nodiscard]] std::string runnable_line(std::string_view line);

}  // namespace dlscope::app
