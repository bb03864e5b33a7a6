// Which file is mapped at an address of this process, and at which offset. Two
// addresses that map the same page of a file are the same memory. thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/address.h"

namespace dlscope::core {

struct FileMapping {
  ByteRange range;           // of the mapping
  std::uint64_t offset = 0;  // bytes; of range.begin in the file
  std::string device;        // "00:01"; device and inode identify a file, which a name does not
  std::uint64_t inode = 0;
  std::string path;
  bool shared = false;  // false: a private mapping: a page that has been written to is this process's own copy (copy-on-write)
};

// The file mapped at `address`. nullopt: none (anonymous memory), or the system does not say.
[[nodiscard]] std::optional<FileMapping> file_mapping_at(Address address);

// False: the page at `address` certainly belongs to this process alone: it is no file's page and not shared. True also when that
// cannot be determined. Takes at most a tenth of the time of file_mapping_at().
[[nodiscard]] bool may_be_file_page(Address address);

}  // namespace dlscope::core
