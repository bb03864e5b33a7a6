#include "app/session/unsaved_text.h"
#include "app/session/settings.h"
#include "app/session/text_owner.h"
#include "tests/support/temporary_folder.h"

#include <pwd.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {
int lock_error = 0;  // what flock() fails with; 0: it locks
}

// Instead of the C library's.
extern "C" int flock(int fd, int operation) {
  if (lock_error == 0) return static_cast<int>(::syscall(SYS_flock, fd, operation));
  errno = lock_error;
  return -1;
}

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

// Does it in a process that then dies without a word.
template <class Work>
void in_a_process_that_dies(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
}

class StateFolder {
 public:
  [[nodiscard]] std::string path() const { return folder_ / "dlscope"; }

 private:
  tests::TemporaryFolder folder_;
};

auto files_in(const StateFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

}  // namespace

TEST_CASE("text of a process that is gone is offered again, exactly", "[app][session]") {
  const StateFolder folder;
  const std::string text = "x = 1\n\n# ü\n";
  in_a_process_that_dies([&] {
    const UnsavedTextStore died(folder.path());
    static_cast<void>(died.keep({.script_path = "/home/me/a script.py", .text = "older"}));
    static_cast<void>(died.keep({.script_path = "/home/me/a script.py", .text = text}));
  });
  const UnsavedTextStore now(folder.path());
  const auto found = now.left_behind();
  REQUIRE(found.size() == 1);
  CHECK(found[0].script_path == "/home/me/a script.py");
  CHECK(found[0].text == text);
  CHECK((fs::status(found[0].file).permissions() & fs::perms::all) == fs::perms(0600));
  UnsavedTextStore::remove(found[0]);
  CHECK(now.left_behind().empty());
  CHECK(files_in(folder) == 0);
}

TEST_CASE("the breakpoints of a text are stored with it, whatever the text is", "[app][session]") {
  const StateFolder folder;
  KeptBreakpoint one;
  one.path = kUnsavedScript;
  one.line = 2;
  one.condition = "s == \"ü\\n\"";
  one.hit = 7;
  one.enabled = false;
  KeptBreakpoint other;
  other.path = kUnsavedScript;
  other.line = 9;
  other.log_text = "x is {x}\nand on";
  const std::vector both{one, other};
  for (const std::string text : {"x = 1\ny = 2\n", "", "\n\n", "[]\nx = 1", "dlscope unsaved text 1 of \nx"}) {
    for (const auto& breakpoints : {both, {}}) {
      in_a_process_that_dies([&] {
        const UnsavedTextStore died(folder.path());
        static_cast<void>(died.keep({.text = "older", .breakpoints = breakpoints.empty() ? both : std::vector{other}}));
        static_cast<void>(died.keep({.text = text, .breakpoints = breakpoints}));
      });
      const auto found = UnsavedTextStore(folder.path()).left_behind();
      REQUIRE(found.size() == 1);
      CHECK(found[0].script_path.empty());
      CHECK(found[0].text == text);
      CHECK(found[0].breakpoints == breakpoints);
      UnsavedTextStore::remove(found[0]);
    }
  }
}

TEST_CASE("a text whose breakpoints cannot be read is offered without them", "[app][session]") {
  const StateFolder folder;
  fs::create_directories(folder.path());
  for (const char* line : {"", "[{\"path\": ", "{\"path\": 3}", "[3]", "[{\"path\": \"x\", \"line\": -1}]"}) {
    const std::string file = folder.path() + "/unsaved-1.txt";
    std::ofstream(file) << "dlscope unsaved text 2 of \n" << line << "\nprecious\n";
    const auto found = UnsavedTextStore(folder.path()).left_behind();
    REQUIRE(found.size() == 1);
    CHECK(found[0].text == "precious\n");
    CHECK(found[0].breakpoints.empty());
  }
}

TEST_CASE("what the script's file was edited from comes back with the text, and is not mistaken for its name", "[app][session]") {
  const StateFolder folder;
  for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}, ~std::uint64_t{0}}) {
    in_a_process_that_dies([&] {
      static_cast<void>(UnsavedTextStore(folder.path()).keep({.script_path = "/a b.py", .text = "x\n", .edited_from = hash}));
    });
    const auto found = UnsavedTextStore(folder.path()).left_behind();
    REQUIRE(found.size() == 1);
    CHECK(found[0].script_path == "/a b.py");
    CHECK(found[0].text == "x\n");
    CHECK(found[0].edited_from == hash);
    UnsavedTextStore::remove(found[0]);
  }
  // As an earlier version stored it: the name may look like anything.
  std::ofstream(folder.path() + "/unsaved-1.txt") << "dlscope unsaved text 1 of 0123456789abcdef a.py\nx";
  // Broken: no digits.
  std::ofstream(folder.path() + "/unsaved-2.txt") << "dlscope unsaved text 3 of /home/me/some_script.py\nx";
  const auto found = UnsavedTextStore(folder.path()).left_behind();
  REQUIRE(found.size() == 1);
  CHECK(found[0].script_path == "0123456789abcdef a.py");
  CHECK_FALSE(found[0].edited_from);
}

// As in containers that share the state folder: every viewer there is number 1. Numbers are nothing a text is known by.
TEST_CASE("text of a process whose number somebody else has is offered, and not overwritten", "[app][session]") {
  const StateFolder folder;
  const std::string mine = std::to_string(::getpid()), parents = std::to_string(::getppid());
  fs::create_directories(folder.path());
  for (const std::string& number : {mine, parents})  // as earlier versions named them
    std::ofstream(folder.path() + "/unsaved-" + number + ".txt") << "dlscope unsaved text 1 of \nprecious " << number;
  const UnsavedTextStore now(folder.path());
  REQUIRE(now.keep({.text = "other"}).has_value());
  const auto found = now.left_behind();
  REQUIRE(found.size() == 2);
  CHECK(found[0].text.starts_with("precious"));
  CHECK(found[1].text.starts_with("precious"));
}

TEST_CASE("two windows of one process keep a text each", "[app][session]") {
  const StateFolder folder;
  const UnsavedTextStore one(folder.path()), other(folder.path());
  REQUIRE(one.keep({.text = "one"}).has_value());
  REQUIRE(other.keep({.text = "other"}).has_value());
  CHECK(one.left_behind().empty());
  CHECK(other.left_behind().empty());
}

TEST_CASE("text of a dead process that nobody has waited for yet is offered too", "[app][session]") {
  const StateFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const UnsavedTextStore theirs(folder.path());
    ::_exit(theirs.keep({.text = "lost"}) ? 0 : 1);
  }
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);  // a zombie from here on
  CHECK(ended.si_status == 0);
  CHECK(UnsavedTextStore(folder.path()).left_behind().size() == 1);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("what living processes keep is theirs", "[app][session]") {
  const StateFolder folder;
  std::array<int, 2> kept{}, over{};
  REQUIRE(::pipe(kept.data()) == 0);
  REQUIRE(::pipe(over.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(over[1]);
    const UnsavedTextStore theirs(folder.path());
    static_cast<void>(theirs.keep({.text = "theirs"}));
    char byte = 0;
    if (::write(kept[1], &byte, 1) == 1) static_cast<void>(::read(over[0], &byte, 1));
    ::_exit(0);
  }
  ::close(over[0]);
  char byte = 0;
  REQUIRE(::read(kept[0], &byte, 1) == 1);
  const UnsavedTextStore own(folder.path());
  CHECK(own.left_behind().empty());
  ::close(over[1]);
  ::waitpid(child, nullptr, 0);
  CHECK(own.left_behind().size() == 1);
  ::close(kept[0]);
  ::close(kept[1]);
}

TEST_CASE("where locks do not work, the text of a process that is gone is offered", "[app][session]") {
  const StateFolder folder;
  for (const int error : {ENOLCK, EOPNOTSUPP}) {
    lock_error = error;
    in_a_process_that_dies([&] { static_cast<void>(UnsavedTextStore(folder.path()).keep({.text = "typed"})); });
    const UnsavedTextStore now(folder.path());
    const auto found = now.left_behind();
    lock_error = 0;
    REQUIRE(found.size() == 1);
    CHECK(found[0].text == "typed");
    UnsavedTextStore::remove(found[0]);
  }
}

TEST_CASE("where locks do not work, the text of a window that lives is neither offered nor removed", "[app][session]") {
  const StateFolder folder;
  for (const int error : {ENOLCK, EOPNOTSUPP}) {
    lock_error = error;
    const UnsavedTextStore lives(folder.path()), other(folder.path());
    const bool was_kept = lives.keep({.text = "typed"}).has_value();
    const auto found = other.left_behind();
    lock_error = 0;
    REQUIRE(was_kept);
    CHECK(found.empty());
    CHECK(files_in(folder) == 2);
    lives.forget();
  }
}

// Everything but a process that is certainly gone.
TEST_CASE("where locks do not work, who stored a text is told by boot and start time, and unknown elsewhere", "[app][session]") {
  std::istringstream fields(this_owner());
  const std::vector<std::string> own{std::istream_iterator<std::string>(fields), {}};
  REQUIRE(own.size() == 5);
  const auto with = [&](std::size_t at, const std::string& field) {
    std::string line;
    for (std::size_t i = 0; i < own.size(); ++i) line += (i == at ? field : own[i]) + " ";
    return life_of(line);
  };
  CHECK(life_of(this_owner()) == Owner::lives);
  CHECK(with(0, "another@machine") == Owner::unknown);
  CHECK(with(1, "00000000-an-earlier-boot") == Owner::gone);
  CHECK(with(2, "1") == Owner::unknown);  // in another container numbers mean other processes
  CHECK(with(3, "x1") == Owner::unknown);
  CHECK(with(3, "-1") == Owner::unknown);
  CHECK(with(4, own[4] + "1") == Owner::gone);  // a living stranger has the number
  CHECK(life_of("") == Owner::unknown);         // as an earlier version left it, or not written yet
  CHECK(life_of(this_owner() + " more") == Owner::unknown);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(with(3, std::to_string(child)) == Owner::gone);  // a zombie
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a window that has nothing to keep leaves nothing", "[app][session]") {
  const StateFolder folder;
  {
    const UnsavedTextStore own(folder.path());
    REQUIRE(own.keep({.text = "mine"}).has_value());
    own.forget();
  }
  CHECK(files_in(folder) == 0);
}

TEST_CASE("other files, links and broken files are left alone", "[app][session]") {
  const StateFolder folder;
  fs::create_directories(folder.path());
  std::ofstream(folder.path() + "/unsaved-1.txt") << "not our header\ntext";
  std::ofstream(folder.path() + "/unsaved.txt") << "dlscope unsaved text 1 of \nx";
  fs::create_symlink("/etc/passwd", folder.path() + "/unsaved-2.txt");
  CHECK(UnsavedTextStore(folder.path()).left_behind().empty());
}

TEST_CASE("what nobody restores goes after a month, except the newest", "[app][session]") {
  const StateFolder folder;
  fs::create_directories(folder.path());
  const auto leave = [&](const std::string& number, std::chrono::hours ago) {
    const std::string file = folder.path() + "/unsaved-" + number + ".txt";
    std::ofstream(file) << "dlscope unsaved text 1 of \ntext " << number;
    fs::last_write_time(file, fs::file_time_type::clock::now() - ago);
    return file;
  };
  const std::chrono::hours day{24};
  leave("1", 100 * day);
  leave("2", 50 * day);
  const std::string newest = leave("3", 40 * day);
  auto found = UnsavedTextStore(folder.path()).left_behind();
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "text 3");
  CHECK(files_in(folder) == 1);
  leave("4", 2 * day);
  found = UnsavedTextStore(folder.path()).left_behind();
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "text 4");
  CHECK_FALSE(fs::exists(newest));
}

TEST_CASE("without HOME the folders of texts and settings are in the home folder of the account", "[app][session]") {
  struct Unset {
    explicit Unset(const char* variable) : name(variable) {
      if (const char* const value = std::getenv(name)) before = value;
      ::unsetenv(name);
    }
    ~Unset() {
      if (before) ::setenv(name, before->c_str(), 1);
    }
    const char* name;
    std::optional<std::string> before;
  };
  const Unset home("HOME"), state("XDG_STATE_HOME"), config("XDG_CONFIG_HOME");
  const passwd* const user = ::getpwuid(::getuid());
  if (user == nullptr) SKIP("this account has no entry");
  CHECK(state_folder() == std::string(user->pw_dir) + "/.local/state/dlscope");
  CHECK(settings_path() == std::string(user->pw_dir) + "/.config/dlscope/settings.json");
}

TEST_CASE("no state folder means nothing is kept, a bad one is said", "[app][session]") {
  CHECK(UnsavedTextStore("").keep({.text = "x"}).has_value());
  CHECK(UnsavedTextStore("").left_behind().empty());
  CHECK_FALSE(UnsavedTextStore("/proc/no-such-place").keep({.text = "x"}).has_value());
}

}  // namespace dlscope::app
