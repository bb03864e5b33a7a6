#include "tests/embed/host/test_pythons.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

namespace dlscope::tests {

std::string output_of_command(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  pclose(pipe);
  return text;
}

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> candidates() {
  if (const std::string given = variable("DLSCOPE_TEST_PYTHONS"); !given.empty()) return split(given, ':');
  std::vector<std::string> found;
  const auto add = [&](const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) found.push_back(path.string());
  };
  add(variable("DLSCOPE_TEST_PYTHON"));
  for (const std::string& root : split(output_of_command("pyenv root 2>/dev/null"), '\n')) {
    std::error_code ignored;
    for (const auto& version : std::filesystem::directory_iterator(root + "/versions", ignored))
      add(version.path() / "bin/python3");
  }
  for (const std::string& folder : split(variable("PATH"), ':')) {
    for (const char* name : {"python3", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"}) {
      add(std::filesystem::path(folder) / name);
    }
  }
  return found;
}

std::vector<TestPython> find(const std::vector<std::string>& candidates) {
  constexpr const char* kAsk =
      " -I -S -c \"import sys; print(sys.version_info[1]); print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable); "
      "print(next((l.split()[-1] for l in open('/proc/self/maps') if 'libpython3' in l), ''))\" 2>/dev/null";
  std::vector<TestPython> out;
  std::set<std::string> seen;
  for (const std::string& candidate : candidates) {
    std::istringstream answer(output_of_command("'" + candidate + "'" + kAsk));
    TestPython python;
    std::string minor;
    if (!std::getline(answer, minor) || !std::getline(answer, python.version) || !std::getline(answer, python.executable))
      continue;
    std::getline(answer, python.libpython);
    python.minor = std::atoi(minor.c_str());
    if (seen.insert(python.version + (python.libpython.empty() ? " static" : "")).second) out.push_back(python);
  }
  return out;
}

}  // namespace

const std::vector<TestPython>& all_pythons() {
  static const std::vector<TestPython> pythons = find(candidates());
  return pythons;
}

const std::vector<TestPython>& test_pythons() {
  static const std::vector<TestPython> pythons = [] {
    std::vector<TestPython> out;
    for (const TestPython& python : all_pythons()) {
      if (python.minor >= 9 && python.minor <= 14) out.push_back(python);
    }
    return out;
  }();
  return pythons;
}

const std::vector<TestPython>& pythons_with_tools() {
  static const std::vector<TestPython> pythons = find(split(variable("DLSCOPE_TEST_PYTHONS_TOOLS"), ':'));
  return pythons;
}

}  // namespace dlscope::tests
