#include "embed/libraries/library_version.h"

#include <algorithm>
#include <array>

#include "embed/libraries/library.h"

namespace dlscope::embed {

std::string library_version(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kBuiltIn{"builtins", "array", "mmap", "ctypes", "_ctypes", "multiprocessing"};
  if (name == "__main__") return {};  // a name of the script's, not a library
  if (std::ranges::find(kBuiltIn, name) != kBuiltIn.end()) {
    const std::string version = text_of(PySys_GetObject("version"));
    return version.substr(0, version.find(' '));
  }
  static constexpr const char* kVersion[] = {"__version__"};
  const PyRef version = imported_attribute(std::string(name).c_str(), kVersion);
  // PyTorch's is of a subclass of str.
  return version && PyUnicode_Check(version.get()) != 0 ? text_of(version.get()) : std::string();
}

}  // namespace dlscope::embed
