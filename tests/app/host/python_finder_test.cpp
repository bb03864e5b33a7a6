#include "app/host/python_finder.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace dlscope;
using namespace dlscope::app;
namespace fs = std::filesystem;

namespace {

// A folder with a bin/python that answers as told, and nothing else of the environment in sight.
class FakePython {
 public:
  explicit FakePython(const std::string& fields) {
    folder_.write("bin/python", "#!/bin/sh\nprintf 'dlscope\\0" + fields + "'\n");
    fs::permissions(executable(), fs::perms::owner_all);
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) ::unsetenv(name);
  }
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }
  [[nodiscard]] fs::path executable() const { return folder_ / "bin/python"; }

 private:
  tests::TemporaryFolder folder_;
};

// Fields behind the version; octal escapes are printf's.
std::string answer(const char* implementation, const char* version, const char* free_threaded) {
  return std::string{"/x/python\\0"} + implementation + "\\0" + version + "\\0/x\\0\\0\\0\\0\\0\\0\\0" + free_threaded + "\\0";
}

}  // namespace

TEST_CASE("A folder stands for the interpreter in it", "[app][host]") {
  const FakePython python(answer("cpython", "\\063.12.1", ""));
  for (const fs::path& asked : {python.folder(), python.executable()}) {
    const auto found = find_python(asked.string());
    REQUIRE(found);
    CHECK(found->executable == "/x/python");
    CHECK(found->version == "3.12.1");
    CHECK(found->libpython.empty());
    CHECK(found->chosen_because == "--python");
  }
}

TEST_CASE("What cannot be embedded is refused in words", "[app][host]") {
  const auto refusal = [](const char* implementation, const char* version, const char* free_threaded) {
    const FakePython python(answer(implementation, version, free_threaded));
    const auto found = find_python(python.folder().string());
    REQUIRE_FALSE(found);
    return found.error().message;
  };
  CHECK(refusal("cpython", "\\063.8.18", "").find("3.9 or newer") != std::string::npos);
  CHECK(refusal("cpython", "\\063.13.0", "\\061").find("free-threaded") != std::string::npos);
  CHECK(refusal("pypy", "\\063.10.0", "").find("pypy") != std::string::npos);
}

TEST_CASE("Versions that are newer than this program are tried", "[app][host]") {
  const FakePython python(answer("cpython", "\\063.15.0", ""));
  CHECK(find_python(python.folder().string()));
}

TEST_CASE("A virtual environment whose home is gone is broken before it is run", "[app][host]") {
  const FakePython python(answer("cpython", "\\063.12.1", ""));
  std::ofstream(python.folder() / "pyvenv.cfg")
      << "include-system-site-packages = false\nhome = /gone/for/good\nversion = 3.12.1\n";
  const auto found = find_python(python.folder().string());
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("/gone/for/good") != std::string::npos);
  CHECK(found.error().message.find("-m venv --clear") != std::string::npos);
}

TEST_CASE("The active environment comes before what lies on PATH", "[app][host]") {
  const FakePython python(answer("cpython", "\\063.12.1", ""));
  ::setenv("CONDA_PREFIX", python.folder().c_str(), 1);
  const auto conda = find_python("");
  ::setenv("VIRTUAL_ENV", (python.folder() / "nothing").c_str(), 1);
  const auto broken = find_python("");
  ::unsetenv("VIRTUAL_ENV");
  ::unsetenv("CONDA_PREFIX");
  REQUIRE(conda);
  CHECK(conda->chosen_because == "$CONDA_PREFIX");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("$VIRTUAL_ENV") != std::string::npos);
}
