// thread: GIL held.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::embed {

// The version of an imported library, as its __version__ says; of what is built into Python, Python's. "": it says none. Reads
// sys.modules only; runs none of the library's code.
[[nodiscard]] std::string library_version(std::string_view name);

}  // namespace dlscope::embed
