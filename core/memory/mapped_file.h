// Which file an address of this process stands on, and where in it: two addresses of one file's pages are the same memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/address.h"

namespace dlscope::core {

struct MappedFile {
  ByteRange range;           // of the mapping
  std::uint64_t offset = 0;  // of range.begin in the file
  std::string device;        // "00:01"; with the inode it tells one file from another, which a name does not
  std::uint64_t inode = 0;
  std::string path;
  bool shared = false;  // false: a page that was written since is this process's own copy
};

// Of the mapping at `address` in this process. nullopt: it stands on no file, or the system does not say.
[[nodiscard]] std::optional<MappedFile> mapped_file_at(Address address);

// False: the page at `address` is this process's own, no file's and shared with nobody. True also where nobody can say. A tenth of the time
// that mapped_file_at() takes, and less.
[[nodiscard]] bool may_be_file_page(Address address);

}  // namespace dlscope::core
