#include "app/session/text_owner.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace dlscope::app {
namespace {

std::string first_word(const char* file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

// The name of the host as well: images of containers share a machine id.
std::string this_machine() {
  utsname names{};
  std::string machine = first_word("/etc/machine-id") + "@" + (::uname(&names) == 0 ? names.nodename : "");
  std::ranges::replace(machine, ' ', '_');
  return machine;
}

std::string this_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? fmt::format("{}", info.st_ino) : std::string();
}

// In clock ticks since the boot; nullopt: there is no such process, or only its end has not been waited for.
std::optional<std::string> start_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');  // a name may have anything in it
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  constexpr int kState = 3, kStart = 22;
  for (int number = kState; fields >> field; ++number) {
    if (number == kState && (field == "Z" || field == "X")) return std::nullopt;
    if (number == kStart) return field;
  }
  return std::nullopt;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream text{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string this_owner() {
  const std::string boot = first_word("/proc/sys/kernel/random/boot_id"), space = this_namespace();
  const auto start = start_of(::getpid());
  if (boot.empty() || space.empty() || !start) return {};
  return fmt::format("{} {} {} {} {}", this_machine(), boot, space, ::getpid(), *start);
}

Owner life_of(std::string_view line) {
  const std::vector<std::string> theirs = words_of(line), ours = words_of(this_owner());
  if (theirs.size() != 5 || ours.size() != 5 || theirs[0] != ours[0]) return Owner::unknown;
  if (theirs[1] != ours[1]) return Owner::gone;  // this machine was started anew since
  if (theirs[2] != ours[2]) return Owner::unknown;
  long pid = 0;
  const char* const end = theirs[3].data() + theirs[3].size();
  if (std::from_chars(theirs[3].data(), end, pid).ptr != end || pid <= 0) return Owner::unknown;
  const auto start = start_of(pid);
  return start && *start == theirs[4] ? Owner::lives : Owner::gone;
}

}  // namespace dlscope::app
