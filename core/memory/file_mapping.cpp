#include "core/memory/file_mapping.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace dlscope::core {

std::optional<FileMapping> file_mapping_at(Address address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    FileMapping file;
    char dash = 0;
    std::string rights;
    in >> std::hex >> file.range.begin >> dash >> file.range.end;
    if (!in || !file.range.contains(address)) continue;
    in >> rights >> file.offset >> file.device >> std::dec >> file.inode >> std::ws;
    std::getline(in, file.path);
    file.shared = rights.size() == 4 && rights[3] == 's';
    return file.inode != 0 ? std::optional(file) : std::nullopt;
  }
  return std::nullopt;
}

bool may_be_file_page(Address address) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kFileOrShared = std::uint64_t{1} << 61;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  std::uint64_t entry = 0;
  const ssize_t got = ::pread(file, &entry, sizeof entry, static_cast<off_t>(address / page * sizeof entry));
  ::close(file);
  if (got != sizeof entry || (entry & kPresent) == 0) return true;
  return (entry & kFileOrShared) != 0;
}

}  // namespace dlscope::core
