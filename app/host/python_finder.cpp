#include "app/host/python_finder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/files/home_folder.h"
#include "app/host/python_probe.h"
#include "app/host/starting_python.h"

namespace dlscope::app {

namespace fs = std::filesystem;
using core::ErrorKind;
using core::fail;
using core::Result;

namespace {

constexpr int kOldestMinor = 9;

struct Candidate {
  fs::path executable;
  std::string because;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

bool runnable_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

bool dangling_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error)) && !fs::exists(path, error);
}

std::optional<fs::path> on_path(std::string_view name) {
  const std::string folders = variable("PATH");
  std::string_view left = folders;
  while (!left.empty()) {
    const auto end = left.find(':');
    const std::string_view folder = left.substr(0, end);
    // An empty entry means the current folder: skipped, so that no program runs just because it lies there.
    if (!folder.empty() && runnable_file(fs::path{folder} / name)) return fs::path{folder} / name;
    left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
  }
  return std::nullopt;
}

// The folder of the virtual environment an executable belongs to; "" when it belongs to none.
fs::path venv_of(const fs::path& executable) {
  std::error_code error;
  const fs::path bin = executable.parent_path();
  for (const fs::path& folder : {bin.parent_path(), bin}) {
    if (fs::exists(folder / "pyvenv.cfg", error)) return folder;
  }
  return {};
}

std::string venv_home(const fs::path& venv) {
  std::ifstream file(venv / "pyvenv.cfg");
  std::string line;
  while (std::getline(file, line)) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto key_end = line.find_last_not_of(" \t", equals == 0 ? 0 : equals - 1);
    if (line.substr(0, key_end + 1) != "home") continue;
    const auto begin = line.find_first_not_of(" \t", equals + 1);
    if (begin == std::string::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
  }
  return {};
}

// What is wrong with a virtual environment, found without running it; nullopt: nothing.
std::optional<std::string> broken_venv(const fs::path& venv, const fs::path& executable) {
  const std::string fix = "; make it again: python3 -m venv --clear " + venv.string();
  std::error_code error;
  if (dangling_link(executable)) {
    return "the virtual environment " + venv.string() + " is broken: " + executable.filename().string() + " points to " +
           fs::read_symlink(executable, error).string() + ", which is gone" + fix;
  }
  const std::string home = venv_home(venv);
  if (!home.empty() && !fs::is_directory(home, error)) {
    return "the virtual environment " + venv.string() + " is broken: its Python was in " + home + ", which is gone" + fix;
  }
  return std::nullopt;
}

// The interpreter of a folder, which is a virtual environment or an installation's prefix. named: what asks for it.
Result<fs::path> python_in(const fs::path& folder, const std::string& named) {
  for (const char* name : {"python", "python3"}) {
    const fs::path executable = folder / "bin" / name;
    if (runnable_file(executable) || dangling_link(executable)) return executable;
  }
  return fail(ErrorKind::not_found, named + " has no bin/python; give an interpreter or a virtual environment");
}

std::string because_of(AskedBy by) {
  switch (by) {
    case AskedBy::option:
      return "--python";
    case AskedBy::window:
      return "chosen in this window";
    case AskedBy::earlier_session:
      return "chosen in an earlier session";
    case AskedBy::list:
      break;
  }
  return {};
}

std::string named(const AskedPython& asked) {
  if (asked.by == AskedBy::option) return "--python " + asked.path;
  return asked.by == AskedBy::earlier_session ? asked.path + ", " + because_of(asked.by) + "," : asked.path;
}

// "~/x" in the home folder, as a shell would have made it of an option.
fs::path expanded(const std::string& path) {
  const std::string home = path == "~" || path.starts_with("~/") ? home_folder() : std::string();
  if (home.empty()) return path;
  return fs::path(home) / fs::path(path).lexically_relative("~");
}

Result<Candidate> asked_for(const AskedPython& asked) {
  std::error_code error;
  const fs::path path = expanded(asked.path);
  const std::string because = because_of(asked.by);
  if (fs::is_directory(path, error)) {
    auto executable = python_in(path, named(asked));
    if (!executable) return std::unexpected(executable.error());
    return Candidate{*executable, because};
  }
  if (asked.path.find('/') == std::string::npos) {
    if (auto executable = on_path(asked.path)) return Candidate{*executable, because};
    return fail(ErrorKind::not_found, named(asked) + " is no interpreter on PATH");
  }
  if (runnable_file(path) || dangling_link(path)) return Candidate{path, because};
  const char* found = fs::exists(path, error) ? " is not an executable file" : " does not exist";
  return fail(ErrorKind::not_found, named(asked) + found);
}

// ./.venv counts only when it belongs to this user: nothing runs just because somebody else put a folder there.
bool own_folder(const fs::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         (S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode)) && ::stat(folder.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

Result<Candidate> choose(const AskedPython& asked) {
  const StartingPython& starting = take_starting_python();
  const bool is_overruled = asked.by == AskedBy::earlier_session && !starting.run_by.empty();
  if (!asked.path.empty() && !is_overruled) return asked_for(asked);
  if (!starting.run_by.empty()) return Candidate{starting.run_by, "python -m dlscope"};
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder = variable(name);
    if (folder.empty()) continue;
    const std::string because = std::string{"$"} + name;
    auto executable = python_in(folder, because + ", " + folder + ",");
    if (!executable) return std::unexpected(executable.error());
    return Candidate{*executable, because};
  }
  std::string note;
  std::error_code error;
  if (fs::exists(".venv/pyvenv.cfg", error)) {
    if (own_folder(".venv")) {
      auto executable = python_in(".venv", "./.venv");
      if (!executable) return std::unexpected(executable.error());
      return Candidate{*executable, "./.venv"};
    }
    note = " (./.venv belongs to another user and was not used)";
  }
  if (!starting.installed_for.empty()) return Candidate{starting.installed_for, "dlscope is installed in it" + note};
  for (const char* name : {"python3", "python"}) {
    if (auto executable = on_path(name)) return Candidate{*executable, std::string{name} + " on PATH" + note};
  }
  return fail(ErrorKind::not_found, "no Python was found: no virtual environment is active and there is no python3 on PATH" +
                                        note + "; install one (Debian: apt install python3) or name it with --python");
}

// Where a Python was remembered and another environment is active by now: says so.
std::string other_environment(const std::string& prefix) {
  const std::string active = variable("VIRTUAL_ENV");
  std::error_code error;
  if (active.empty() || fs::equivalent(active, prefix, error)) return {};
  return "; not the active environment, " + active;
}

std::optional<std::string> refused(const InterpreterFacts& facts) {
  const std::string who = facts.executable + " is Python " + facts.version;
  if (facts.implementation != "cpython")
    return facts.executable + " is " + facts.implementation + "; dlscope embeds CPython only";
  int major = 0, minor = 0;
  const char* end = facts.version.data() + facts.version.size();
  const auto parsed = std::from_chars(facts.version.data(), end, major);
  if (parsed.ec == std::errc{} && parsed.ptr != end) std::from_chars(parsed.ptr + 1, end, minor);
  if (major != 3 || minor < kOldestMinor) return who + "; dlscope needs CPython 3.9 or newer";
  if (facts.free_threaded)
    return who + ", a free-threaded build; dlscope cannot embed those yet, only builds with the GIL";
  return std::nullopt;
}

}  // namespace

Result<std::string> locate_python(const AskedPython& asked) {
  auto found = asked_for(asked);
  if (!found) return std::unexpected(found.error());
  return found->executable.string();
}

Result<PythonChoice> find_python(const AskedPython& asked, const std::stop_token& stop) {
  auto candidate = choose(asked);
  if (!candidate) return std::unexpected(candidate.error());
  std::error_code error;
  // Not canonical(): a virtual environment's python is a link, and resolving it would lose the environment.
  const fs::path executable = fs::absolute(candidate->executable, error).lexically_normal();
  const fs::path venv = venv_of(executable);
  if (!venv.empty()) {
    if (auto broken = broken_venv(venv, executable)) return fail(ErrorKind::environment, *broken);
  } else if (dangling_link(executable)) {
    return fail(ErrorKind::not_found, executable.string() + " is a broken link: " + fs::read_symlink(executable, error).string());
  }
  auto facts = ask_python(executable.string(), stop);
  const bool is_listed = asked.by == AskedBy::list || asked.by == AskedBy::window;  // where another one is chosen in the window
  const std::string advice = is_listed ? "" : ": choose one with --python";
  if (!facts && facts.error().kind == ErrorKind::unsupported)
    return fail(ErrorKind::unsupported, facts.error().message + advice);
  if (!facts) return std::unexpected(facts.error());
  if (auto why = refused(*facts)) return fail(ErrorKind::unsupported, *why + advice);

  PythonChoice choice;
  // A pyenv shim is a script that starts another file: what the interpreter says it is counts.
  choice.executable = facts->executable.empty() ? executable.string() : facts->executable;
  choice.version = facts->version;
  choice.base_prefix = facts->base_prefix;
  const fs::path own_venv = venv_of(choice.executable);
  choice.prefix = own_venv.empty() ? facts->base_prefix : own_venv.string();
  choice.chosen_because = candidate->because;
  if (candidate->because == because_of(AskedBy::earlier_session)) choice.chosen_because += other_environment(choice.prefix);
  for (const std::string& library : libpython_candidates(*facts)) {
    if (!fs::is_regular_file(library, error)) continue;
    choice.libpython = library;
    break;
  }
  return choice;
}

}  // namespace dlscope::app
