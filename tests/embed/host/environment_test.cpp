// A host that cannot serve says why in one line and leaves with 3; venvs, old and foreign interpreters.
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>

#include "core/wire/host_launch.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

void check_refused(HostProcess& host, const std::string& message) {
  const int status = host.wait();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == core::wire::kHostCannotServe);
  const std::string said = host.err();
  CHECK_THAT(said, ContainsSubstring("dlscope-host: ") && ContainsSubstring(message));
  CHECK(host.messages.empty());
}

HostSettings with_path(const TemporaryFolder& folder) {
  HostSettings settings;
  settings.environment["PYTHONPATH"] = folder.path().string();
  return settings;
}

void make_venv(const TestPython& python, const std::string& folder) {
  const std::string said = output_of_command("'" + python.executable + "' -m venv --without-pip '" + folder + "' 2>&1");
  if (!std::filesystem::exists(folder + "/bin/python")) SKIP("this Python cannot make a venv: " << said);
}

}  // namespace

TEST_CASE("Python 3.8 and older are refused with words", "[host]") {
  const auto& all = all_pythons();
  const auto old = std::find_if(all.begin(), all.end(), [](const TestPython& python) { return python.minor < 9; });
  if (old == all.end()) SKIP("no Python older than 3.9 was found");
  HostProcess host(*old);
  check_refused(host, "too old: dlscope needs CPython 3.9 or newer");
}

TEST_CASE("the host of a venv is the venv's python", "[host]") {
  EACH_PYTHON(python);
  TemporaryFolder folder;
  const std::string venv = (folder.path() / "venv").string();
  make_venv(python, venv);
  HostSettings settings;
  settings.executable = venv + "/bin/python";
  HostProcess host(python, settings);
  const auto hello = host.wait_for<core::wire::Hello>();
  REQUIRE(hello);
  CHECK(hello->executable == settings.executable);
  CHECK(hello->prefix == venv);
  CHECK(hello->base_prefix != venv);
  const auto outcome = host.run_script(
      "import sys, subprocess\n"
      "print(subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.prefix)'], text=True).strip() == "
      "sys.prefix)\n");
  REQUIRE(outcome);
  CHECK(host.out() == "True\n");
}

TEST_CASE("a venv of another version is refused", "[host]") {
  const auto& pythons = test_pythons();
  const auto shared = [](const TestPython& python) { return !python.libpython.empty(); };
  const auto first = std::find_if(pythons.begin(), pythons.end(), shared);
  if (first == pythons.end()) SKIP("no Python with a shared libpython was found");
  const auto second = std::find_if(first, pythons.end(),
                                   [&](const TestPython& python) { return shared(python) && python.minor != first->minor; });
  if (second == pythons.end()) SKIP("only one version with a shared libpython was found");
  TemporaryFolder folder;
  const std::string venv = (folder.path() / "venv").string();
  make_venv(*first, venv);
  HostSettings settings;
  settings.executable = venv + "/bin/python";
  HostProcess host(*second, settings);
  check_refused(host, "Python");
}

TEST_CASE("a file that is no libpython, a broken home and a missing package are refused with words", "[host]") {
  EACH_PYTHON(python);
  {
    HostSettings settings;
    settings.package_dir = "/nonexistent-folder";
    HostProcess host(python, settings);
    if (python.libpython.empty()) {
      CHECK(WEXITSTATUS(host.wait()) != 0);  // python's own words
    } else {
      check_refused(host, "the package in /nonexistent-folder cannot be loaded");
    }
  }
  {
    TemporaryFolder folder;  // a package, but without its compiled half
    std::filesystem::create_directory(folder.path() / "dlscope");
    for (const char* file : {"_host_boot.py", "_host.py", "_host_private.py"}) {
      std::filesystem::copy(package_dir() + "/dlscope/" + file, folder.path() / "dlscope" / file);
    }
    folder.write("dlscope/__init__.py", "");
    HostSettings settings;
    settings.package_dir = folder.path().string();
    HostProcess host(python, settings);
    check_refused(host, "cannot be loaded: ImportError");
  }
  if (python.libpython.empty()) return;
  {
    TestPython wrong = python;
    wrong.libpython = "/etc/passwd";
    HostProcess host(wrong);
    check_refused(host, "libpython cannot be loaded");
  }
  {
    HostSettings settings;
    settings.environment["PYTHONHOME"] = "/nonexistent-folder";
    HostProcess host(python, settings);
    check_refused(host, "Python could not be initialised");
  }
}

TEST_CASE("a viewer of another build is refused", "[host]") {
  EACH_PYTHON(python);
  HostSettings settings;
  settings.other_build = true;
  HostProcess host(python, settings);
  check_refused(host, "the viewer is build another build");
}

TEST_CASE("the host does not outlive its viewer", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.01)\n");
  REQUIRE(host.wait_for_output("on\n"));
  host.region().header().viewer_gone = 1;
  const int status = host.wait();
  CHECK(WIFEXITED(status));
}

TEST_CASE("modules on PYTHONPATH named like the standard library's stop nothing and stay the user's", "[host]") {
  EACH_PYTHON(python);
  TemporaryFolder shadows;
  for (const char* name : {"json", "linecache", "traceback", "codeop", "keyword", "tokenize"})
    shadows.write(std::string(name) + ".py", "raise ImportError('my own ' + __name__)\n");
  shadows.write("colorsys.py", "mine = True\n");
  HostProcess host(python, with_path(shadows));
  REQUIRE(host.wait_for<core::wire::Hello>());
  auto outcome =
      host.run_script("import colorsys\nprint(colorsys.mine)\ntry:\n    import json\nexcept ImportError as e:\n    print(e)\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
  CHECK(host.out() == "True\nmy own json\n");
  core::wire::Run edited;  // its lines are told to the user's linecache, which is none
  edited.source = "1/0\n";
  edited.fresh_namespace = false;
  outcome = host.run(edited);
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "ZeroDivisionError");
}

TEST_CASE("a json that the user's site has imported already is his, and not ours", "[host]") {
  EACH_PYTHON(python);
  TemporaryFolder shadows;
  shadows.write("json.py", "mine = True\n");
  shadows.write("sitecustomize.py", "import json\n");
  HostProcess host(python, with_path(shadows));
  REQUIRE(host.wait_for<core::wire::Hello>());
  const auto outcome = host.run_script("import json\nprint(json.mine)\n");
  REQUIRE(outcome);
  CHECK(host.out() == "True\n");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  host.send(core::wire::Ask{1, "is_complete", R"({"text": "1"})"});
  const auto answer = host.wait_for<core::wire::Answer>();
  REQUIRE(answer);
  CHECK(answer->error == "");
}
