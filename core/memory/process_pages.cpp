#include "core/memory/process_pages.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "core/memory/address_map.h"
#include "core/memory/pagemap.h"
#include "core/memory/writes_without_fault.h"

namespace dlscope::core {
namespace {

// Whether of the flags `asked` of the kernel's entry of each page exactly `wanted` are set. pid 0: of this process.
// Opened for every question, because a script may close descriptors that it did not open.
bool all_are(pid_t pid, ByteRange range, std::uint64_t asked, std::uint64_t wanted) {
  if (range.empty()) return true;
  const std::string path = pid == 0 ? "/proc/self/pagemap" : fmt::format("/proc/{}/pagemap", pid);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool all = pages_in(file, range, asked, wanted) == Pages::all;
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

bool writes_without_fault(ByteRange range) { return all_are(0, range, kPresent | kFileOrShared | kWriteProtected, kPresent); }

}  // namespace dlscope::core
