#include "app/files/home_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace dlscope::app {

std::string home_folder() {
  const char* home = std::getenv("HOME");
  passwd user{};
  std::array<char, 16384> texts{};  // of `user`
  if (home == nullptr || home[0] != '/') {
    passwd* found = nullptr;
    static_cast<void>(::getpwuid_r(::getuid(), &user, texts.data(), texts.size(), &found));
    home = found != nullptr ? found->pw_dir : nullptr;
  }
  return home != nullptr && home[0] == '/' ? std::string(home) : std::string();
}

}  // namespace dlscope::app
