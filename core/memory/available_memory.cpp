#include "core/memory/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace dlscope::core {
namespace {

// The number at the start of a file; nullopt for "max" (no limit) and for a missing file.
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// The number that follows the name `wanted` in a file with a name and a number per line.
std::optional<std::uint64_t> number_after(const char* path, std::string_view wanted) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t number = 0;
  for (std::string unit; file >> name >> number; std::getline(file, unit)) {
    if (name == wanted) return number;
  }
  return std::nullopt;
}

// For a process in a container, whose own cgroup is mounted at /sys/fs/cgroup. memory.current includes inactive file cache, which
// the kernel reclaims on demand, so that is subtracted.
std::optional<std::uint64_t> left_in_cgroup() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !used) return std::nullopt;
  const std::uint64_t spare = number_after("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
  const std::uint64_t needed = *used - std::min(*used, spare);
  return *most - std::min(*most, needed);
}

}  // namespace

std::optional<std::uint64_t> available_memory() {
  auto machine = number_after("/proc/meminfo", "MemAvailable:");
  if (machine) *machine *= 1024;
  const auto group = left_in_cgroup();
  if (!machine) return group;
  return group ? std::min(*machine, *group) : *machine;
}

}  // namespace dlscope::core
