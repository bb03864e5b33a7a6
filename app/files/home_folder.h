// The home folder of whoever runs the viewer: what is kept between sessions lies in it, and "~" means it.
#pragma once

#include <string>

namespace dlscope::app {

// HOME where that is an absolute path, else that of the account, where shells and Python's expanduser() look without HOME. "": there is
// none.
[[nodiscard]] std::string home_folder();

}  // namespace dlscope::app
