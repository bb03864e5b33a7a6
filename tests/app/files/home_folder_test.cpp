// Everything that lies in the home folder, and "~", mean one and the same folder.
#include "app/files/home_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <string>

namespace dlscope::app {

TEST_CASE("the home folder is HOME, or without an absolute one the account's", "[app][files]") {
  const char* const value = std::getenv("HOME");
  const std::string before = value != nullptr ? value : "";
  ::setenv("HOME", "/of somebody", 1);
  CHECK(home_folder() == "/of somebody");
  if (const passwd* const user = ::getpwuid(::getuid()); user != nullptr && user->pw_dir[0] == '/') {
    for (const char* const none : {"", "a/relative/one"}) {
      ::setenv("HOME", none, 1);
      CHECK(home_folder() == user->pw_dir);
    }
    ::unsetenv("HOME");
    CHECK(home_folder() == user->pw_dir);
  }
  if (value != nullptr) ::setenv("HOME", before.c_str(), 1);
}

}  // namespace dlscope::app
