#include "app/host/python_list.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "app/files/home_folder.h"
#include "app/host/python_finder.h"
#include "app/host/starting_python.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMax = 40;
constexpr std::size_t kMaxInFolder = 4000;
constexpr const char* kAskedFor = "asked for";
constexpr std::array<std::string_view, 8> kLibraries{"numpy",      "torch", "jax",          "cupy",
                                                     "tensorflow", "mlx",   "paddlepaddle", "pyarrow"};

class Candidates {
 public:
  void add(const fs::path& path, const std::string& because) {
    std::error_code error;
    if (found_.size() == kMax || path.empty() || !fs::exists(fs::symlink_status(path, error))) return;
    const fs::path absolute = fs::absolute(path, error).lexically_normal();
    // Two links to one interpreter in one folder (python, python3) are one entry; a virtual environment's link is its own.
    const fs::path real = fs::canonical(absolute, error);
    const std::string key = absolute.parent_path().string() + "\n" + (error ? absolute : real).string();
    if (!seen_.insert(key).second) return;
    PythonEntry entry;
    entry.path = absolute.string();
    entry.because = because;
    found_.push_back(std::move(entry));
  }
  void add_asked(const std::string& asked) {
    const auto executable = locate_python({.path = asked, .by = AskedBy::list});
    if (executable) return add(*executable, kAskedFor);
    PythonEntry entry;
    entry.path = asked;
    entry.because = kAskedFor;
    entry.refusal = executable.error().message;
    found_.push_back(std::move(entry));
  }
  void add_prefix(const fs::path& prefix, const std::string& because) {
    for (const char* name : {"python", "python3"}) {
      if (::access((prefix / "bin" / name).c_str(), X_OK) == 0) return add(prefix / "bin" / name, because);
    }
  }
  // Every folder in `folder` is a prefix.
  void add_prefixes_in(const fs::path& folder, const std::string& because) {
    std::error_code error;
    std::vector<fs::path> prefixes;
    for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
      prefixes.push_back(each->path());
      if (prefixes.size() == kMax) break;
    }
    std::ranges::sort(prefixes);
    for (const fs::path& prefix : prefixes) add_prefix(prefix, because);
  }
  std::vector<PythonEntry> take() { return std::move(found_); }

 private:
  std::vector<PythonEntry> found_;
  std::set<std::string> seen_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

bool is_python_name(std::string_view name) {
  if (!name.starts_with("python3")) return false;
  return name == "python3" || (name.starts_with("python3.") && name.substr(8).find_first_not_of("0123456789") == name.npos);
}

void add_path(Candidates& out) {
  const std::string folders = variable("PATH");
  for (std::string_view left = folders; !left.empty();) {
    const auto end = std::min(left.find(':'), left.size());
    const std::string_view folder = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (folder.empty() || folder.front() != '/') continue;  // the current folder: nothing runs just because it lies there
    std::error_code error;
    // pyenv's shims are scripts that run one version or refuse to: offer the versions themselves.
    const fs::path place = fs::path(folder).lexically_normal();
    const fs::path shims = place.filename().empty() ? place.parent_path() : place;
    if (shims.filename() == "shims" && fs::is_directory(shims.parent_path() / "versions", error)) {
      out.add_prefixes_in(shims.parent_path() / "versions", "pyenv");
      continue;
    }
    std::vector<fs::path> names;
    std::size_t visited = 0;
    for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
      if (++visited > kMaxInFolder) break;
      if (is_python_name(each->path().filename().string()) && ::access(each->path().c_str(), X_OK) == 0)
        names.push_back(each->path());
    }
    std::ranges::sort(names);
    for (const fs::path& name : names) out.add(name, "PATH");
  }
}

std::string version_in(std::string_view folder, std::string_view library) {
  std::string_view rest = folder.substr(library.size() + 1);
  rest.remove_suffix(std::string_view(".dist-info").size());
  return std::string(rest);
}

}  // namespace

std::vector<PythonEntry> python_candidates(const std::vector<std::string>& recent, const std::string& asked) {
  Candidates out;
  if (!asked.empty()) out.add_asked(asked);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = variable(name); !prefix.empty()) out.add_prefix(prefix, std::string("$") + name);
  }
  out.add_prefix(".venv", "./.venv");
  for (const std::string& path : {take_starting_python().run_by, take_starting_python().installed_for})
    out.add(path, "dlscope is installed in it");
  for (const std::string& path : recent) out.add(path, "used before");
  add_path(out);
  const std::string home = home_folder();
  if (!home.empty()) {
    for (const char* conda : {"miniconda3", "anaconda3", "miniforge3", "mambaforge"}) {
      out.add_prefix(fs::path(home) / conda, "conda");
      out.add_prefixes_in(fs::path(home) / conda / "envs", "conda");
    }
    const std::string root = variable("PYENV_ROOT");
    out.add_prefixes_in((root.empty() ? fs::path(home) / ".pyenv" : fs::path(root)) / "versions", "pyenv");
  }
  return out.take();
}

std::string installed_libraries(const std::string& prefix, const std::string& version) {
  const std::string minor = version.substr(0, version.rfind('.'));
  std::array<std::string, kLibraries.size()> found;
  for (const fs::path& folder : {fs::path(prefix) / "lib" / ("python" + minor) / "site-packages",
                                 fs::path(prefix) / "lib" / "python3" / "dist-packages"}) {
    std::error_code error;
    std::size_t visited = 0;
    for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
      if (++visited > kMaxInFolder) break;
      const std::string name = each->path().filename().string();
      if (!name.ends_with(".dist-info")) continue;
      for (std::size_t i = 0; i < kLibraries.size(); ++i) {
        if (found[i].empty() && name.starts_with(kLibraries[i]) && name[kLibraries[i].size()] == '-')
          found[i] = version_in(name, kLibraries[i]);
      }
    }
  }
  std::string text;
  for (std::size_t i = 0; i < kLibraries.size(); ++i) {
    if (!found[i].empty()) text += (text.empty() ? "" : "  ") + std::string(kLibraries[i]) + " " + found[i];
  }
  return text;
}

void probe_python(PythonEntry& entry, const std::stop_token& stop) {
  const auto found = find_python({.path = entry.path, .by = AskedBy::list}, stop);
  if (!found) {
    entry.refusal = found.error().message;
    return;
  }
  entry.refusal.clear();
  entry.version = found->version;
  const bool is_venv = found->prefix != found->base_prefix && !found->prefix.empty();
  entry.venv = is_venv ? fs::path(found->prefix).filename().string() : std::string();
  entry.libraries = installed_libraries(found->prefix, found->version);
}

}  // namespace dlscope::app
