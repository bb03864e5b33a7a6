#include "app/host/python_finder.h"
#include "tests/support/fake_python.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace dlscope;
using namespace dlscope::app;
namespace fs = std::filesystem;
using tests::FakePython;
using tests::python_answer;

TEST_CASE("A folder stands for the interpreter in it", "[app][host]") {
  const FakePython python(python_answer("cpython", "\\063.12.1", "", "/x/python"));
  for (const fs::path& asked : {python.folder(), python.executable()}) {
    const auto found = find_python({asked.string()});
    REQUIRE(found);
    CHECK(found->executable == "/x/python");
    CHECK(found->version == "3.12.1");
    CHECK(found->libpython.empty());
    CHECK(found->chosen_because == "--python");
  }
}

TEST_CASE("What cannot be embedded is refused in words", "[app][host]") {
  const auto refusal = [](const char* implementation, const char* version, const char* free_threaded) {
    const FakePython python(python_answer(implementation, version, free_threaded));
    const auto found = find_python({python.folder().string()});
    REQUIRE_FALSE(found);
    return found.error().message;
  };
  CHECK(refusal("cpython", "\\063.8.18", "").find("3.9 or newer") != std::string::npos);
  CHECK(refusal("cpython", "\\063.13.0", "\\061").find("free-threaded") != std::string::npos);
  CHECK(refusal("pypy", "\\063.10.0", "").find("pypy") != std::string::npos);
}

TEST_CASE("Versions that are newer than this program are tried", "[app][host]") {
  const FakePython python(python_answer("cpython", "\\063.15.0", ""));
  CHECK(find_python({python.folder().string()}));
}

TEST_CASE("A virtual environment whose home is gone is broken before it is run", "[app][host]") {
  const FakePython python;
  std::ofstream(python.folder() / "pyvenv.cfg")
      << "include-system-site-packages = false\nhome = /gone/for/good\nversion = 3.12.1\n";
  const auto found = find_python({python.folder().string()});
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("/gone/for/good") != std::string::npos);
  CHECK(found.error().message.find("-m venv --clear") != std::string::npos);
}

TEST_CASE("The active environment comes before what lies on PATH", "[app][host]") {
  const FakePython python;
  ::setenv("CONDA_PREFIX", python.folder().c_str(), 1);
  const auto conda = find_python({});
  ::setenv("VIRTUAL_ENV", (python.folder() / "nothing").c_str(), 1);
  const auto broken = find_python({});
  ::unsetenv("VIRTUAL_ENV");
  ::unsetenv("CONDA_PREFIX");
  REQUIRE(conda);
  CHECK(conda->chosen_because == "$CONDA_PREFIX");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("$VIRTUAL_ENV") != std::string::npos);
}

TEST_CASE("A Python says who chose it, and so does its refusal", "[app][host]") {
  const FakePython python;
  const std::string path = python.folder().string(), empty = (python.folder() / "bin").string();
  const auto because = [&](AskedBy by) { return find_python({path, by})->chosen_because; };
  CHECK(because(AskedBy::option) == "--python");
  CHECK(because(AskedBy::window) == "chosen in this window");
  CHECK(because(AskedBy::earlier_session) == "chosen in an earlier session");

  const auto refusal = [](const std::string& asked, AskedBy by) { return find_python({asked, by}).error().message; };
  CHECK(refusal("/no/where", AskedBy::option) == "--python /no/where does not exist");
  CHECK(refusal("/no/where", AskedBy::window) == "/no/where does not exist");
  CHECK(refusal("/no/where", AskedBy::earlier_session) == "/no/where, chosen in an earlier session, does not exist");
  CHECK(refusal("no-such-python", AskedBy::list) == "no-such-python is no interpreter on PATH");
  CHECK(refusal(empty, AskedBy::window) == empty + " has no bin/python; give an interpreter or a virtual environment");
}

TEST_CASE("A remembered Python that is not the active environment says so", "[app][host]") {
  const FakePython active;
  const FakePython remembered;
  active.make_environment();
  remembered.make_environment();
  const auto because = [](const FakePython& python) {
    return find_python({python.folder().string(), AskedBy::earlier_session})->chosen_because;
  };
  ::setenv("VIRTUAL_ENV", active.folder().c_str(), 1);
  const std::string other = because(remembered), same = because(active);
  ::unsetenv("VIRTUAL_ENV");
  CHECK(other == "chosen in an earlier session; not the active environment, " + active.folder().string());
  CHECK(same == "chosen in an earlier session");
}

TEST_CASE("A path may begin in the home folder", "[app][host]") {
  const FakePython python;
  const char* const value = std::getenv("HOME");
  const std::string before = value != nullptr ? value : "";
  ::setenv("HOME", python.folder().c_str(), 1);
  for (const char* asked : {"~", "~/", "~/bin/python", "~//bin/python"}) {
    INFO(asked);
    const auto found = find_python({asked});
    CHECK((found && found->executable == python.executable().string()));
  }
  CHECK(find_python({"~nobody/bin/python"}).error().message == "--python ~nobody/bin/python does not exist");
  ::setenv("HOME", before.c_str(), 1);
}
