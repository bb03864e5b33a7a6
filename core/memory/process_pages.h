// ProcessPages: what the kernel says of a process's memory without anybody touching it.
// thread: any.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/base/address.h"

namespace dlscope::core {

// The same of any memory that a MemoryReader reads. An implementation that cannot say gives an empty range and false.
class PageFacts {
 public:
  virtual ~PageFacts() = default;
  // The mapping that contains the address: of one file, or of memory without a file.
  [[nodiscard]] virtual ByteRange mapping_of(Address address) const = 0;
  // Every page of the range is there: reading it waits for no disk, no network and no other program.
  [[nodiscard]] virtual bool present(ByteRange range) const = 0;
};

class ProcessPages final : public PageFacts {
 public:
  explicit ProcessPages(pid_t pid) : pid_(pid) {}  // 0: this process

  [[nodiscard]] ByteRange mapping_of(Address address) const override;  // reads the whole map: a millisecond
  [[nodiscard]] bool present(ByteRange range) const override;          // some microseconds
  // Every page of the range is there, is no file's nor shared, and not write-protected with userfaultfd: a write waits for nothing
  // but memory. Some microseconds.
  [[nodiscard]] bool written_at_once(ByteRange range) const;

 private:
  // Whether of the flags `asked` of the kernel's entry of each page exactly `wanted` are set.
  [[nodiscard]] bool all_are(ByteRange range, std::uint64_t asked, std::uint64_t wanted) const;

  pid_t pid_;
};

}  // namespace dlscope::core
