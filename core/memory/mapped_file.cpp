#include "core/memory/mapped_file.h"

#include <fstream>
#include <sstream>

namespace dlscope::core {

std::optional<MappedFile> mapped_file_at(Address address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    MappedFile file;
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

}  // namespace dlscope::core
