// Which pages of files a range of this process's addresses shows. Two addresses that show the same page of a file are the same
// memory. thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

struct FileMapping {
  ByteRange range;
  std::uint64_t offset = 0;             // bytes; of range.begin in the file
  std::uint64_t device = 0, inode = 0;  // identify the file
  std::string path;
  bool shared = false;  // false: a private mapping: a page that has been written to is this process's own copy (copy-on-write)
};

[[nodiscard]] inline std::uint64_t end_in_file(const FileMapping& part) { return part.offset + part.range.size(); }
[[nodiscard]] inline bool is_same_file(const FileMapping& a, const FileMapping& b) {
  return a.device == b.device && a.inode == b.inode;
}

// The parts of `range` that are mapped from files, in ascending order. Left out: anonymous memory, and the files of devices, whose
// offsets do not say which memory is mapped (a driver may map another one each time). The kernel
// splits a mapping in two when a part of it gets other properties (madvise, mprotect); such neighbours are joined here.
[[nodiscard]] std::vector<FileMapping> file_mappings_in(const AddressMap& map, ByteRange range);

// Whether the mapping is of a file that stays: not of shared memory, a memfd or a device, though these have names, too.
[[nodiscard]] bool is_mapped_from_disk(const Mapping& mapping);

// Whether both show some of the same pages of one file.
[[nodiscard]] bool show_same_pages(const FileMapping& a, const FileMapping& b);

// Whether the files that are mapped in `range` are still long enough for it. A mapping remains when its file is truncated, but
// accessing its pages beyond the file's end raises SIGBUS. `own` reads this process.
[[nodiscard]] bool files_reach_end(const MemoryReader& own, const AddressMap& map, ByteRange range);

// False: the page at `address` certainly belongs to this process alone: it is no file's page and not shared. True also when that
// cannot be determined. Takes at most a tenth of the time of reading the address map.
[[nodiscard]] bool may_be_file_page(Address address);

}  // namespace dlscope::core
