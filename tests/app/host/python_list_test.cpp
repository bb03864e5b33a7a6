#include "app/host/python_list.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "tests/support/fake_python.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
using tests::FakePython;

// Changes variables of the environment as long as it lives.
class Environment {
 public:
  explicit Environment(const std::map<const char*, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* const before = std::getenv(name);
      before_[name] = before != nullptr ? before : "";
      ::setenv(name, value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) {
      if (value.empty())
        ::unsetenv(name);
      else
        ::setenv(name, value.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<const char*, std::string> before_;
};

// Nothing but what is in this folder.
Environment only(const fs::path& folder, const std::string& path) {
  return Environment({{"HOME", folder.string()}, {"PATH", path}, {"PYENV_ROOT", ""}, {"VIRTUAL_ENV", ""}, {"CONDA_PREFIX", ""}});
}

void add_python(const tests::TemporaryFolder& folder, const std::string& name) {
  fs::permissions(folder.write(name, "#!/bin/sh\n"), fs::perms::owner_all);
}

using Rows = std::vector<std::pair<std::string, std::string>>;  // path below the folder, because

Rows rows(const std::vector<PythonEntry>& entries, const fs::path& folder) {
  Rows out;
  for (const PythonEntry& entry : entries)
    out.emplace_back(fs::path(entry.path).lexically_relative(folder).string(), entry.because);
  return out;
}

}  // namespace

TEST_CASE("in place of pyenv's shims the versions behind them are listed", "[app][host]") {
  const tests::TemporaryFolder folder;
  for (const char* name : {"root/shims/python3", "root/shims/python3.12", "root/versions/3.11.7/bin/python",
                           "root/versions/3.11.7/bin/python3", "root/versions/3.12.1/bin/python3", "usr/bin/python3"})
    add_python(folder, name);
  fs::create_directories(folder / "root/versions/broken/bin");
  const std::string system = ":" + (folder / "usr/bin");
  const Rows expected = {{"root/versions/3.11.7/bin/python", "pyenv"},
                         {"root/versions/3.12.1/bin/python3", "pyenv"},
                         {"usr/bin/python3", "PATH"}};
  for (const char* shims : {"root/shims", "root/shims/", "root/bin/../shims"}) {
    INFO(shims);
    const Environment environment = only(folder.path(), (folder / shims) + system);
    CHECK(rows(python_candidates({}, ""), folder.path()) == expected);
  }
  // Only pyenv has a folder "versions" beside its shims.
  add_python(folder, "other/shims/python3");
  const Environment environment = only(folder.path(), folder / "other/shims");
  CHECK(rows(python_candidates({}, ""), folder.path()) == Rows{{"other/shims/python3", "PATH"}});
}

TEST_CASE("what was typed has an entry, with the refusal where there is no Python", "[app][host]") {
  const tests::TemporaryFolder folder;
  add_python(folder, "venv/bin/python");
  folder.write("empty/readme", "");
  const Environment environment = only(folder.path(), folder / "venv/bin");
  const auto first = [](const std::string& asked) {
    const auto entries = python_candidates({}, asked);
    REQUIRE_FALSE(entries.empty());
    CHECK(entries.front().because == "asked for");
    return entries.front();
  };
  for (const std::string& asked : {folder / "venv", folder / "venv/bin/python", std::string("~/venv"), std::string("python")}) {
    INFO(asked);
    CHECK(first(asked).path == folder / "venv/bin/python");
    CHECK(first(asked).refusal.empty());
  }
  const auto refusal = [&](const std::string& asked) {
    CHECK(first(asked).path == asked);
    return first(asked).refusal;
  };
  CHECK(refusal("/no/where") == "/no/where does not exist");
  CHECK(refusal("~/empty") == "~/empty has no bin/python; give an interpreter or a virtual environment");
  CHECK(refusal(folder / "empty/readme") == (folder / "empty/readme") + " is not an executable file");
  CHECK(refusal("no-such-python") == "no-such-python is no interpreter on PATH");
}

}  // namespace dlscope::app
