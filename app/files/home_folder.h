// The home folder of whoever runs the viewer: what is kept between sessions lies in it, and "~" means it.
#pragma once

#include <string>

namespace dlscope::app {

// HOME where that is an absolute path, else that of the account, as a shell and Python's expanduser() find it then. "": there is none.
[[nodiscard]] std::string home_folder();

}  // namespace dlscope::app
