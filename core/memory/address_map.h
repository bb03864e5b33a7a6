// AddressMap: the memory mappings of a process at one moment: address ranges, permissions, files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

struct Mapping {
  ByteRange range;
  bool read = false, write = false, execute = false, shared = false;
  std::uint64_t file_offset = 0;  // bytes; of range.begin in the file
  // Device and inode identify a file, which a name does not. Device 0: no file. An inode may be 0 (the first SysV segment's is).
  std::uint64_t device = 0, inode = 0;
  std::string path;  // "/usr/lib/...", "[heap]", "" for anonymous
};

// A sorted copy of /proc/PID/maps. Immutable after loading; thread: any.
class AddressMap {
 public:
  [[nodiscard]] static Result<AddressMap> load(pid_t pid);            // 0: this process; fails when the file cannot be read
  [[nodiscard]] static AddressMap parse(std::string_view maps_text);  // text of a maps file; malformed lines are skipped

  [[nodiscard]] const Mapping* find(Address address) const;  // nullptr: unmapped
  // Every byte of the range lies in a mapping with read permission. True for an empty range.
  [[nodiscard]] bool readable(ByteRange range) const;
  [[nodiscard]] bool executable(Address address) const;
  [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }

 private:
  std::vector<Mapping> mappings_;
};

}  // namespace dlscope::core
