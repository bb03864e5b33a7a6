#include "app/session/unsaved_text.h"

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

// The number of a process that is certainly gone.
pid_t dead_pid() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

class StateFolder {
 public:
  StateFolder() : path_(fs::temp_directory_path() / ("dlscope-session-test-" + std::to_string(::getpid())) / "dlscope") {}
  ~StateFolder() { fs::remove_all(path_.parent_path()); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("text of a process that is gone is offered again, exactly", "[app][session]") {
  const StateFolder folder;
  const std::string text = "x = 1\n\n# ü\n";
  const UnsavedTextStore died(folder.path(), dead_pid());
  REQUIRE(died.keep("/home/me/a script.py", "older").has_value());
  REQUIRE(died.keep("/home/me/a script.py", text).has_value());
  const UnsavedTextStore now(folder.path(), ::getpid());
  const auto found = now.left_behind();
  REQUIRE(found.size() == 1);
  CHECK(found[0].script_path == "/home/me/a script.py");
  CHECK(found[0].text == text);
  CHECK((fs::status(found[0].file).permissions() & fs::perms::all) == fs::perms(0600));
  UnsavedTextStore::remove(found[0]);
  CHECK(now.left_behind().empty());
}

TEST_CASE("text of a dead process that nobody has waited for yet is offered too", "[app][session]") {
  const StateFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);  // a zombie from here on
  REQUIRE(UnsavedTextStore(folder.path(), child).keep("", "lost").has_value());
  CHECK(UnsavedTextStore(folder.path(), ::getpid()).left_behind().size() == 1);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("what living processes keep is theirs", "[app][session]") {
  const StateFolder folder;
  const UnsavedTextStore own(folder.path(), ::getpid());
  REQUIRE(own.keep("", "mine").has_value());
  const UnsavedTextStore parents(folder.path(), ::getppid());
  REQUIRE(parents.keep("", "parent's").has_value());
  CHECK(own.left_behind().empty());
  own.forget();
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("other files, links and broken files are left alone", "[app][session]") {
  const StateFolder folder;
  fs::create_directories(folder.path());
  const std::string name = "unsaved-" + std::to_string(dead_pid()) + ".txt";
  std::ofstream(folder.path() + "/" + name) << "not our header\ntext";
  std::ofstream(folder.path() + "/unsaved-12x.txt") << "dlscope unsaved text 1 of \nx";
  fs::create_symlink("/etc/passwd", folder.path() + "/unsaved-" + std::to_string(dead_pid()) + ".txt");
  CHECK(UnsavedTextStore(folder.path(), ::getpid()).left_behind().empty());
}

TEST_CASE("no state folder means nothing is kept, a bad one is said", "[app][session]") {
  CHECK(UnsavedTextStore("", ::getpid()).keep("", "x").has_value());
  CHECK(UnsavedTextStore("", ::getpid()).left_behind().empty());
  CHECK_FALSE(UnsavedTextStore("/proc/no-such-place", ::getpid()).keep("", "x").has_value());
}

}  // namespace dlscope::app
