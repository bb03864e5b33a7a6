#include "app/host/process_status.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace dlscope::app {
namespace {

// What follows "Name:" and blanks; "": there is no such line.
std::string_view value_of(std::string_view status, std::string_view name) {
  const std::size_t line = status.find("\n" + std::string(name) + ":");
  if (line == std::string_view::npos) return {};
  std::string_view value = status.substr(line + name.size() + 2);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  return value.substr(0, value.find('\n'));
}

std::uint64_t set_of(std::string_view hex) {
  std::uint64_t set = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), set, 16);
  return set;
}

}  // namespace

ProcessStatus parse_status(std::string_view status) {
  const std::string_view state = value_of(status, "State");
  const std::string_view parent = value_of(status, "PPid");
  pid_t parent_pid = 0;
  std::from_chars(parent.data(), parent.data() + parent.size(), parent_pid);
  return {.stopped = state.starts_with('T'), .parent = parent_pid, .caught = set_of(value_of(status, "SigCgt")),
          .ignored = set_of(value_of(status, "SigIgn"))};
}

std::optional<ProcessStatus> process_status(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  if (!file) return std::nullopt;
  return parse_status(std::string(std::istreambuf_iterator<char>(file), {}));
}

bool is_below(pid_t pid, pid_t ancestor) {
  constexpr int kDeepest = 256;  // the tree changes while it is walked
  for (int depth = 0; depth < kDeepest && pid > 0; ++depth) {
    if (pid == ancestor) return true;
    const auto status = process_status(pid);
    pid = status ? status->parent : 0;
  }
  return false;
}

}  // namespace dlscope::app
