#include "core/memory/process_pages.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/memory/address_map.h"
#include "core/memory/written_at_once.h"

namespace dlscope::core {
namespace {

// Of an entry of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst). The last one is there from Linux 5.13 on.
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kFileOrShared = std::uint64_t{1} << 61,
                        kWriteProtected = std::uint64_t{1} << 57;

// Whether of the flags `asked` of the kernel's entry of each page exactly `wanted` are set. pid 0: of this process.
// Opened for every question, because a script may close descriptors that it did not open.
bool all_are(pid_t pid, ByteRange range, std::uint64_t asked, std::uint64_t wanted) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (range.empty()) return true;
  const std::string path = pid == 0 ? "/proc/self/pagemap" : fmt::format("/proc/{}/pagemap", pid);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<std::uint64_t, 512> entries;
  bool all = true;
  const Address last = (range.end - 1) / page;
  for (Address at = range.begin / page; all && at <= last;) {
    const std::size_t count = std::min<Address>(entries.size(), last - at + 1);
    const ssize_t got = ::pread(file, entries.data(), count * sizeof entries[0], static_cast<off_t>(at * sizeof entries[0]));
    all = got == static_cast<ssize_t>(count * sizeof entries[0]) &&
          std::all_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count),
                      [&](std::uint64_t entry) { return (entry & asked) == wanted; });
    at += count;
  }
  ::close(file);
  return all;
}

}  // namespace

ByteRange ProcessPages::mapping_of(Address address) const {
  const auto map = AddressMap::load(pid_);
  const Mapping* const mapping = map ? map->find(address) : nullptr;
  return mapping != nullptr ? mapping->range : ByteRange{};
}

bool ProcessPages::present(ByteRange range) const { return all_are(pid_, range, kPresent, kPresent); }

bool written_at_once(ByteRange range) { return all_are(0, range, kPresent | kFileOrShared | kWriteProtected, kPresent); }

}  // namespace dlscope::core
